/** Resolves a path with its links, relative to the agent's folder. */
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isAbsolute, parentOf, pathBelow, resolvePath, rootOf, withSlashes } from '../paths/paths.ts'
import type { PatternPath } from './path-pattern.ts'

export type RealPath = (path: string) => Promise<Result<string>>

/** Resolves each path once. */
export function onceForEach(realPath: RealPath): RealPath {
  const known = new Map<string, ReturnType<RealPath>>()
  return (path) => {
    const found = known.get(path) ?? realPath(path)
    known.set(path, found)
    return found
  }
}

export interface LocatedPath {
  /** The absolute path as given, links not resolved. */
  readonly path: string
  /** `path` relative to the agent's folder; absolute outside of it. */
  readonly asked: string
  /** `path` with every link resolved. */
  readonly real: string
  /** `real` relative to the agent's real folder, `.` for the folder itself; null outside of it. */
  readonly below: string | null
  /** Whether links lead to a different location. */
  readonly linked: boolean
  /** The file's other paths, for rules that deny: as given, and resolved as each program could. */
  readonly others: readonly PatternPath[]
}

interface LocateOptions {
  /** The base of a relative path. */
  readonly cwd: string
  /** The agent's folder. */
  readonly root: string
  readonly realPath: RealPath
}

/** No file system supports longer paths, and resolving them step by step could take long. */
const LONGEST_PATH = 4096

/**
 * Resolves the path as the operating system does: `..` after a link is the parent of the link's target. If the result
 * differs from the path read as text, programs could disagree about the file, and the path counts as outside.
 */
export async function locatePath(
  path: string,
  options: LocateOptions,
): Promise<Result<LocatedPath, Failure>> {
  if (path.length > LONGEST_PATH) return fail({ type: 'too-long', message: 'the path is too long.' })
  const asText = resolvePath(options.cwd, path)
  const root = await options.realPath(options.root)
  if (!root.ok) return root
  const real = await options.realPath(asText)
  if (!real.ok) return real
  const walked = await walk(path, { ...options, asText, real })
  if (!walked.ok) return walked
  const agrees = resolvePath(walked.value, '.') === resolvePath(real.value, '.')
  const below = pathBelow(root.value, real.value)
  const expected = pathBelow(options.root, asText)
  const resolved = [...new Set([real.value, walked.value])].map((absolute) => ({
    absolute,
    below: pathBelow(root.value, absolute),
  }))
  return ok({
    path: asText,
    asked: expected ?? asText,
    real: agrees ? real.value : walked.value,
    below: agrees ? below : null,
    linked: !agrees || (below === null ? resolvePath(real.value, '.') !== asText : below !== expected),
    others: [{ absolute: asText, below: expected }, ...resolved],
  })
}

/** @param options.real the real path of `asText` */
async function walk(
  path: string,
  options: LocateOptions & { readonly asText: string; readonly real: Result<string, Failure> },
): Promise<Result<string, Failure>> {
  const whole = withSlashes(isAbsolute(path) ? path : `${withSlashes(options.cwd)}/${path}`)
  if (!whole.split('/').includes('..')) {
    const plain = resolvePath(whole, '.')
    return plain === options.asText ? options.real : options.realPath(plain)
  }
  let at = rootOf(whole)
  for (const name of whole.slice(at.length).split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') {
      at = resolvePath(at, name)
      continue
    }
    const real = await options.realPath(at)
    if (!real.ok) return real
    at = parentOf(real.value)
  }
  return options.realPath(at)
}
