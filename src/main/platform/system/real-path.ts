/** Resolves the links of a path, also of a path that does not exist yet. */
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { codeOf } from './error-code.ts'
import { fileFailure } from './file-failure.ts'

/** The system's limit of consecutive links: more than these count as a circle. */
const MOST_LINKS = 40

/**
 * The path with every link resolved. A missing part is appended to its nearest existing parent. A dangling link
 * resolves to its target, because a write would go there.
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
