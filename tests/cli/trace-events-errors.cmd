# Each says what is wrong.
"$BUILD/tests/support/etl_sample" >t.etl
printf '1\n2\n3\n' >text
exec 2>&1
show() { pagelab trace events "$@"; echo "status $?"; }
show
show text
show nowhere.etl
show t.etl --hard-faults --reference-set
show t.etl --event Nothing
show t.etl --event 0xeeee
