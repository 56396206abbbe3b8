/** Watches the definitions of the open folder. A change of the folder, its trust or the plugins restarts the watch. */
import type { Program } from '../services.ts'

interface FollowedFolder {
  readonly path: string
  readonly trusted: boolean
  /** The folders of the enabled plugins. */
  readonly plugins: readonly string[]
}

interface DefinitionWatch {
  /** Watches this folder instead of the previous one. */
  follow(folder: FollowedFolder): void
  stop(): void
}

/** @param changed also called once when a watch begins */
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
          // Another folder was requested during composition.
          if (followed === now) end = definitions.watch(path, { trusted }, () => changed(path))
        })
        .catch(() => {})
    },
    stop,
  }
}
