import { stat } from 'node:fs/promises'

/** Whether a path leads to something, links followed. A path that can't be read counts as missing. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
