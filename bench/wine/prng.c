/* bcryptprimitives.dll with the one function that Go programs need and Wine 8
   does not have: random bytes. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE at, SIZE_T left)
{
	while (left > 0) {
		ULONG n = left > 1 << 20 ? 1 << 20 : (ULONG)left;
		if (!SystemFunction036(at, n))
			return FALSE;
		at += n;
		left -= n;
	}
	return TRUE;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
	return TRUE;
}
