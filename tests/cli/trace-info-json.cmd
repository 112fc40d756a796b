# The same numbers from standard input, as JSON.
printf 'time_us,pid,page,op\n0,1,5,R\n10,2,5,W\n5,1,6,R\n' |
    pagelab trace info - --json - | jq -c '[.parameters.format, .parameters.clock, .results.accesses, .results.pages,
        .results.processes, .results.backward_times, .results.time_span_s, .tables.processes.rows]'
