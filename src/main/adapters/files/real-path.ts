/** Where a path really leads, also where it leads to nothing yet. */
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { codeOf, fileFailure } from './file-failure.ts'

/** More links than this in a row are a circle, as for the system itself. */
const MOST_LINKS = 40

/**
 * The path with every link resolved. What does not exist is added to its nearest parent that does; a link
 * to something that does not exist counts as what it names, since that is where a write would go.
 */
export async function realPathOf(path: string, linksLeft = MOST_LINKS): Promise<Result<string>> {
  try {
    return ok(await realpath(path))
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') return fail(fileFailure(thrown, path))
  }
  const parent = dirname(path)
  if (parent === path) return fail({ type: 'not-found', message: `${path} does not exist.` })
  const realParent = await realPathOf(parent, linksLeft)
  if (!realParent.ok) return realParent
  const whole = join(realParent.value, basename(path))
  const target = await readlink(whole).catch(() => null)
  if (target === null) return ok(whole)
  if (linksLeft === 0) return fail(fileFailure({ code: 'ELOOP' }, path))
  return realPathOf(resolve(realParent.value, target), linksLeft - 1)
}
