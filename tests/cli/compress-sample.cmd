# A sample: five pages of forty, and stores filled with them eight times over.
awk 'BEGIN { for (i = 0; i < 8192; i++) printf "%019d\n", i * 7919 }' >data
pagelab compress data --sample 5 --codecs xpress:1 --stores ideal,zram --no-timing
