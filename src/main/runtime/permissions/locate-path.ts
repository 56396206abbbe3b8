/** Where a path really leads: links resolved, and compared with the agent's folder. */
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { isAbsolute, parentOf, pathBelow, resolvePath, rootOf, withSlashes } from './paths.ts'

export type RealPath = (path: string) => Promise<Result<string>>

export interface LocatedPath {
  /** The absolute path as it was asked for. */
  readonly path: string
  /** The same below the agent's folder as text; absolute where it lies outside. */
  readonly asked: string
  /** The same with every link resolved. */
  readonly real: string
  /** The real path below the agent's real folder, `.` for the folder itself; null where it lies outside. */
  readonly below: string | null
  /** Whether links lead somewhere else than the path says. */
  readonly linked: boolean
}

export interface LocateOptions {
  /** The folder a relative path counts from. */
  readonly cwd: string
  /** The agent's folder. */
  readonly root: string
  readonly realPath: RealPath
}

/** Longer ones no system knows; following them step by step would take its time. */
const LONGEST_PATH = 4096

/**
 * Follows the path as the system would: `..` after a link goes to the parent of where the link leads.
 * Where that differs from the path read as text, two programs could mean two files, and it counts as outside.
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
  const walked = await walk(path, options)
  if (!walked.ok) return walked
  const agrees = resolvePath(walked.value, '.') === resolvePath(real.value, '.')
  const below = pathBelow(root.value, real.value)
  const expected = pathBelow(options.root, asText)
  return ok({
    path: asText,
    asked: expected ?? asText,
    real: agrees ? real.value : walked.value,
    below: agrees ? below : null,
    linked: !agrees || (below === null ? resolvePath(real.value, '.') !== asText : below !== expected),
  })
}

async function walk(path: string, options: LocateOptions): Promise<Result<string, Failure>> {
  const whole = withSlashes(isAbsolute(path) ? path : `${withSlashes(options.cwd)}/${path}`)
  if (!whole.split('/').includes('..')) return options.realPath(resolvePath(whole, '.'))
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
