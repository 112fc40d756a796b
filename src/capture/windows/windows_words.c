/* capture/windows/windows_words.c: what the system says of errors, rights and itself. */
#include "capture/windows/windows_target.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *windows_reason(DWORD code, char *out, size_t size)
{
    DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code,
                                  MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), out, (DWORD)size, NULL);
    if (!length)
        length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0, out,
                                (DWORD)size, NULL);
    while (length &&
           (out[length - 1] == '\n' || out[length - 1] == '\r' || out[length - 1] == ' ' || out[length - 1] == '.'))
        length--;
    if (length < size)
        out[length] = 0;
    if (!length)
        snprintf(out, size, "error 0x%lx", code);
    return out;
}

enum pl_err windows_fail(struct pl_error *err, DWORD code, const char *format, ...)
{
    char what[512], why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return pl_fail(err, PL_ERR_RESOURCE, "%s: %s (%lu)", what, windows_reason(code, why, sizeof why),
                   (unsigned long)code);
}

bool windows_privilege(const char *name)
{
    HANDLE token;
    TOKEN_PRIVILEGES wanted = {.PrivilegeCount = 1, .Privileges = {{.Attributes = SE_PRIVILEGE_ENABLED}}};
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &token))
        return false;
    /* The call succeeds without the privilege as well; the last error tells. */
    bool held = LookupPrivilegeValueA(NULL, name, &wanted.Privileges[0].Luid) &&
                AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL) && GetLastError() == ERROR_SUCCESS;
    CloseHandle(token);
    return held;
}

bool windows_is_elevated(void)
{
    HANDLE token;
    TOKEN_ELEVATION elevation = {0};
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    bool known = GetTokenInformation(token, TokenElevation, &elevation, sizeof elevation, &size);
    CloseHandle(token);
    return known && elevation.TokenIsElevated;
}

void *windows_function(const char *library, const char *name)
{
    HMODULE module = LoadLibraryA(library);
    return module ? (void *)GetProcAddress(module, name) : NULL;
}

const char *windows_wine_version(void)
{
    const char *(*version)(void) = (const char *(*)(void))windows_function("ntdll.dll", "wine_get_version");
    return version ? version() : NULL;
}
