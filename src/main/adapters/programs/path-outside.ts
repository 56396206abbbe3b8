/** The variable PATH without what a project could fill: npm puts a project's folder of programs in front of it. */
import { realpathSync } from 'node:fs'
import { delimiter } from 'node:path'
import { isBelow } from '../system/plain-text.ts'

/**
 * @param folder where Troupe was started
 * @param home a folder that holds it is no project
 */
export function pathOutside(path: string, folder: string, home: string): string {
  const root = realOf(folder)
  const own = realOf(home)
  if (own === root || isBelow(root, own)) return path
  const isOutside = (entry: string) =>
    ![entry, realOf(entry)].some((one) => one === root || isBelow(root, one) || isBelow(folder, one))
  return path.split(delimiter).filter(isOutside).join(delimiter)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
