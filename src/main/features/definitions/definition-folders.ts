/** Checks that a definition's file stays below its agents folder, links resolved. */
import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isBelow } from '../../platform/system/plain-text.ts'

/** The path of a new file in an agents folder. The folder must be inside `within`. */
export async function newLocation(
  base: string,
  within: string | null,
  path: string,
): Promise<Result<string>> {
  const parts = path.split('/')
  const isWrong = parts.some(
    (part) =>
      part === '' || part.startsWith('.') || /[\\:*?"<>|\u0000-\u001f]/.test(part) || part.length > 120,
  )
  if (isWrong || !path.endsWith('.md') || parts.length > 10)
    return fail({
      type: 'bad-path',
      message: `${JSON.stringify(path)} can’t be a file’s name here. Use letters, digits, - and _, and end it with .md.`,
    })
  const location = join(base, ...parts)
  if (!(await staysIn(base, dirname(location)))) return fail(leadsOut(location))
  if (within !== null && !(await staysIn(within, base))) return fail(leadsOut(base))
  return ok(location)
}

/** Whether the second folder, or its nearest existing parent, is in the first folder, links resolved. */
export async function staysIn(folder: string, inner: string): Promise<boolean> {
  const [real, there] = await Promise.all([nearestReal(folder), nearestReal(inner)])
  return there === real || isBelow(real, there)
}

/** The real path of a folder, or of its nearest existing parent. */
async function nearestReal(path: string): Promise<string> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(() => null)
    if (real !== null || dirname(here) === here) return real ?? here
  }
}

/** The agents folder of a file, from the file's path below the folder. */
export function agentsFolderOf(file: string, path: string): string {
  return path.split('/').reduce((here) => dirname(here), file) || sep
}

export const leadsOut = (path: string): Failure => ({
  type: 'bad-path',
  message: `${path} leads out of its folder through a link, so nothing was written. Remove the link first.`,
})
