/** What decides the result of a set-up, as two keys: by lock files and manifests, and by everything that git tracks. */
import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EnvironmentCommands } from '../../../shared/environments/environment.ts'
import { isInput } from '../../../shared/environments/shareable-setup.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { withScripts } from '../../platform/approvals/named-scripts.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import { findOnPath } from '../../platform/system/find-on-path.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'

export interface SetupKeys {
  /** The same for equal lock files and manifests. */
  readonly manifests: string
  /** The same for an equal tree. Null: the worktree has changes in no commit. */
  readonly tree: string | null
}

/** @param record of a worktree in which nobody has worked yet */
export async function setupKeys(
  { git, environment }: { readonly git: Git; readonly environment: Readonly<Record<string, string>> },
  record: WorktreeRecord,
  { image, setup, share }: Pick<EnvironmentCommands, 'image' | 'setup' | 'share'>,
): Promise<GitResult<SetupKeys>> {
  const { path, copied, commonFolder, carried, carriedAs } = record
  const [listed, tree] = await Promise.all([
    git.run(path, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']),
    git.run(path, ['rev-parse', 'HEAD^{tree}']),
  ])
  if (!listed.ok) return listed
  if (!tree.ok) return tree
  const inputs = [...new Set([...listed.value.split('\0'), ...copied])].filter(isInput).sort()
  const contents = await Promise.all(
    inputs.map(async (name) => [name, await readFile(join(path, name)).catch(() => null)] as const),
  )
  const common = {
    ...{
      version: 1,
      repository: commonFolder,
      image,
      setup,
      share,
      platform: process.platform,
      arch: process.arch,
    },
    scripts: withScripts(path, { image, setup }).scripts,
    programs: await Promise.all(PROGRAMS.map((name) => programVersion(name, environment['PATH'] ?? ''))),
    inputs: contents.map(([name, content]) => [name, content === null ? null : digestOf(content)]),
    started: contents.map(([name, content]) =>
      name.endsWith('package.json') && content !== null
        ? startedBy(join(path, dirname(name)), content)
        : null,
    ),
  }
  const isClean = carried === null || carriedAs === 'commit'
  return ok({
    manifests: digestOf(JSON.stringify(common)),
    tree: isClean ? digestOf(JSON.stringify({ ...common, tree: tree.value.trim() })) : null,
  })
}

/** Another version of these installs other files. */
const PROGRAMS = ['node', 'npm', 'pnpm', 'yarn', 'bun', 'python3', 'uv', 'poetry', 'ruby', 'php']

async function programVersion(name: string, path: string): Promise<string> {
  const found = findOnPath(name, path)
  const real = found === null ? null : await realpath(found).catch(() => null)
  return real === null ? '' : `${real} ${fileVersion(real)}`
}

/** The files that the scripts of a package name which run when it is installed. */
function startedBy(folder: string, manifest: Buffer): unknown {
  const read = jsonOrUndefined(manifest.toString('utf8')) as { readonly scripts?: unknown } | null | undefined
  const scripts = (read?.scripts ?? {}) as Readonly<Record<string, unknown>>
  const texts = ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => scripts[name] ?? null)
  return withScripts(folder, { texts }).scripts ?? null
}

const digestOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
