/** Where a definition's file may be laid: below its agents folder, and nowhere that a link leads to. */
import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { isBelow } from '../files/plain-text.ts'

/** A path for a file that is not there yet, in an agents folder that does not lead out of `within`. */
export async function newPlace(base: string, within: string | null, path: string): Promise<Result<string>> {
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
  const place = join(base, ...parts)
  if (!(await staysIn(base, dirname(place)))) return fail(leadsOut(place))
  if (within !== null && !(await staysIn(within, base))) return fail(leadsOut(base))
  return ok(place)
}

/** Whether the second folder, or what is there of it, really lies in the first, and not where a link leads. */
export async function staysIn(folder: string, inner: string): Promise<boolean> {
  const [real, there] = await Promise.all([nearestReal(folder), nearestReal(inner)])
  return there === real || isBelow(real, there)
}

/** The real path of a folder, or of the nearest one above it that is there. */
async function nearestReal(path: string): Promise<string> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(() => null)
    if (real !== null || dirname(here) === here) return real ?? here
  }
}

/** The agents folder of a file that has this path below it. */
export function agentsFolderOf(file: string, path: string): string {
  return path.split('/').reduce((here) => dirname(here), file) || sep
}

export const leadsOut = (path: string): Failure => ({
  type: 'bad-path',
  message: `${path} leads out of its folder by a link, so nothing is written there. Take the link away first.`,
})
