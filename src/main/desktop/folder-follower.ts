/** Follows something of the folder that a window shows: its MCP servers, the environments of its worktrees. */

export interface FolderFollower<State> {
  /** The state for a folder; its changes follow until another folder is followed. */
  follow(folder: string): Promise<State>
  stop(): void
}

/** What is followed. */
interface Followed<State, Change> {
  state(folder: string): State | Promise<State>
  /** @returns the function that stops it */
  watch(folder: string, listener: (change: Change) => void): () => void
}

/** `Change`: what is pushed; where left out, the whole state. */
export function createFolderFollower<State, Change = State>(
  source: () => Promise<Followed<State, Change>>,
  push: (change: Change) => void,
): FolderFollower<State> {
  let followed: { readonly folder: string; readonly stop: () => void } | null = null
  let isStopped = false
  const unfollow = (): void => {
    followed?.stop()
    followed = null
  }
  return {
    async follow(folder) {
      const found = await source()
      if (!isStopped && followed?.folder !== folder) {
        unfollow()
        followed = { folder, stop: found.watch(folder, push) }
      }
      return found.state(folder)
    },
    stop() {
      isStopped = true
      unfollow()
    },
  }
}
