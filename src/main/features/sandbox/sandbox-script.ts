/** Where the sandbox's thread and its helper program are. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The script of the thread: beside this file in the sources, in `out` of the built program. */
export function sandboxScript(programFolder: string): string {
  return import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./sandbox.worker.ts', import.meta.url))
    : unpacked(join(programFolder, 'out', 'sandbox.mjs'))
}

/** The program that keeps a command from local sockets; null where there is none for this processor. */
export function seccompProgram(programFolder: string): string | null {
  const folder = import.meta.url.endsWith('.ts')
    ? join(programFolder, 'node_modules', '@anthropic-ai', 'sandbox-runtime', 'vendor', 'seccomp')
    : unpacked(join(programFolder, 'out', 'seccomp'))
  const path = join(folder, process.arch, 'apply-seccomp')
  return existsSync(path) ? path : null
}

/** Programs can't run from an archive: the build unpacks them beside it. */
const unpacked = (path: string): string => path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
