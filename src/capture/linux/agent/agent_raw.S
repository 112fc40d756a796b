/* capture/linux/agent/agent_raw.S: system calls of the agent's own: calls from here are not dispatched to it. */
    .text
    .globl agent_raw_start, agent_raw, agent_restorer, agent_raw_end
    .hidden agent_raw_start, agent_raw, agent_restorer, agent_raw_end

agent_raw_start:
    .type agent_raw, @function
agent_raw:
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
    ret

    .type agent_restorer, @function
agent_restorer:
    mov $15, %eax
    syscall
    ud2
agent_raw_end:

    .section .note.GNU-stack, "", @progbits
