/** Watches the definitions of the folder that is open: another folder, another word about its trust or other plugins, and it watches that. */
import type { Program } from '../services.ts'

export interface FollowedFolder {
  readonly path: string
  readonly trusted: boolean
  /** The folders of the plugins that are enabled. */
  readonly plugins: readonly string[]
}

export interface DefinitionWatch {
  /** The folder that is open now. */
  follow(folder: FollowedFolder): void
  stop(): void
}

/** `changed` is called once when a folder is watched anew, too. */
export function createDefinitionWatch(
  program: () => Promise<Pick<Program, 'definitions'>>,
  changed: (folder: string) => void,
): DefinitionWatch {
  let followed = ''
  let end = () => {}
  const stop = () => {
    followed = ''
    end()
    end = () => {}
  }
  return {
    follow: (folder) => {
      const now = JSON.stringify(folder)
      if (followed === now) return
      stop()
      followed = now
      const { path, trusted } = folder
      program()
        .then(({ definitions }) => {
          // Another folder came while the program was put together.
          if (followed === now) end = definitions.watch(path, { trusted }, () => changed(path))
        })
        .catch(() => {})
    },
    stop,
  }
}
