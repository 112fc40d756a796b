/* capture/windows/windows_rio.c: registered I/O: a call in which the kernel makes every page of a buffer present.
 *
 * Registering locks the pages, which faults them in all at once instead of one by one; giving the buffer back at once
 * leaves them in the working set. The functions come from the socket library by an ioctl, as its documentation says. */
#include <winsock2.h> /* wants to come before windows.h */

#include "capture/windows/windows_target.h"

typedef void *(PASCAL register_fn)(char *, DWORD);
typedef void(PASCAL deregister_fn)(void *);

struct rio_functions { /* RIO_EXTENSION_FUNCTION_TABLE: 13 functions behind its size, in the order of mswsock.h */
    DWORD size;
    void *receive, *receive_ex, *send, *send_ex, *close_queue, *create_queue, *create_request_queue, *dequeue;
    deregister_fn *deregister_buffer;
    void *notify;
    register_fn *register_buffer;
    void *resize_queue, *resize_request_queue;
};

static const GUID rio_id = {0x8509e081, 0x96dd, 0x4005, {0xb1, 0x65, 0x9e, 0x2e, 0xe8, 0xc7, 0x9e, 0x3f}};

typedef int WSAAPI startup_fn(WORD, WSADATA *);
typedef SOCKET WSAAPI socket_fn(int, int, int, void *, GROUP, DWORD);
typedef int WSAAPI ioctl_fn(SOCKET, DWORD, void *, DWORD, void *, DWORD, DWORD *, void *, void *);

static bool find_functions(struct rio_functions *out)
{
    enum { GET_MULTIPLE = (int)0xc8000024, REGISTERED_IO = 0x100 };
    startup_fn *startup = (startup_fn *)windows_function("ws2_32.dll", "WSAStartup");
    socket_fn *open_socket = (socket_fn *)windows_function("ws2_32.dll", "WSASocketA");
    ioctl_fn *ioctl = (ioctl_fn *)windows_function("ws2_32.dll", "WSAIoctl");
    WSADATA data;
    DWORD bytes;
    GUID id = rio_id;
    if (!startup || !open_socket || !ioctl || startup(MAKEWORD(2, 2), &data))
        return false;
    SOCKET socket = open_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, REGISTERED_IO);
    if (socket == INVALID_SOCKET)
        return false;
    *out = (struct rio_functions){.size = sizeof *out};
    return ioctl(socket, (DWORD)GET_MULTIPLE, &id, sizeof id, out, sizeof *out, &bytes, NULL, NULL) == 0 &&
           out->register_buffer && out->deregister_buffer;
}

enum pl_err windows_rio_touch(uint8_t *bytes, uint64_t size, struct pl_error *err)
{
    static struct rio_functions functions;
    static bool looked, found;
    enum { PIECE = 1 << 30 };
    if (!looked)
        found = find_functions(&functions);
    looked = true;
    if (!found)
        return pl_fail(err, PL_ERR_RESOURCE, "this Windows has no registered I/O (Windows 8 and later have)");
    for (uint64_t at = 0; at < size; at += PIECE) {
        DWORD piece = size - at < PIECE ? (DWORD)(size - at) : PIECE;
        void *id = functions.register_buffer((char *)bytes + at, piece);
        if (!id || id == (void *)(uintptr_t)UINT32_MAX || id == (void *)UINTPTR_MAX) /* RIO_INVALID_BUFFERID */
            return windows_fail(err, GetLastError(), "registering %lu bytes for I/O", (unsigned long)piece);
        functions.deregister_buffer(id);
    }
    return PL_OK;
}
