import { provideElectron } from './electron.mjs'
import { findProjectNode, withProjectNode } from './project-node.mjs'
import { isRoot, needsVirtualDisplay, provideSystemLibraries } from './system-libraries.mjs'
import { startVirtualDisplay } from './virtual-display.mjs'

/**
 * The environment of tools without a window: the project's Node.
 *
 * @param {{ onlyToBuild?: boolean }} [options] see findProjectNode
 */
export function provideTools(options) {
  const node = findProjectNode(options)
  const env = withProjectNode(process.env, node)
  // Some tools print colors even to a file.
  return { node, env: process.stderr.isTTY ? env : { ...env, NO_COLOR: '1' } }
}

/**
 * Everything a window needs: Electron, system libraries and a display.
 *
 * @param {{ onlyToBuild?: boolean }} [options] see findProjectNode
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv, electron: string, virtualDisplay: string | undefined }>}
 */
export async function provideWindow(options) {
  const { node, env } = provideTools(options)
  const { folder, executable } = await provideElectron(node)
  await provideSystemLibraries(executable)
  const virtual = needsVirtualDisplay() ? (await startVirtualDisplay()).display : undefined
  return {
    node,
    electron: executable,
    virtualDisplay: virtual,
    env: {
      ...env,
      ELECTRON_OVERRIDE_DIST_PATH: folder,
      ELECTRON_EXEC_PATH: executable,
      // Chromium refuses to run as root with its sandbox. The sandbox is disabled only here, so users keep it.
      ...(isRoot ? { NO_SANDBOX: '1' } : {}),
      ...(virtual === undefined ? {} : { DISPLAY: virtual }),
    },
  }
}
