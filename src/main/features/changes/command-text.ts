/** What a command says of the files that it writes: its own line, and the scripts of the folder that it names. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readUpTo } from '../../platform/system/read-up-to.ts'

const MOST_SCRIPTS = 10
/** Bytes of each. */
const LARGEST_SCRIPT = 64 * 1024

/** @param folder where the command runs */
export async function commandText(command: string, folder: string): Promise<string> {
  const words = new Set(command.split(/[\s'"`;|&<>()=]+/))
  const paths = [...words]
    .map((word) => resolve(folder, word))
    .filter((path) => path.startsWith(`${folder}/`))
  const scripts = await Promise.all(paths.slice(0, MOST_SCRIPTS).map(textOf))
  return [command, ...scripts].join('\n')
}

/** '' for what is no readable file. */
async function textOf(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return ''
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > LARGEST_SCRIPT) return ''
    const { bytes } = await readUpTo(handle, LARGEST_SCRIPT, stats.size)
    return Buffer.from(bytes).toString()
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
