/** The open windows: each has a folder of its own. A request for a folder goes to the window that has it. */

/** What a window shows. */
export interface FolderRequest {
  /** The folder's real path. */
  readonly folder: string
  /** The conversation to show; null: the folder's last one. */
  readonly conversationId: string | null
}

/** A window, as this registry needs it. */
export interface FolderWindow {
  /** The real path of the window's folder, or null. */
  readonly folder: string | null
  /** Opens the folder in this window. */
  show(request: FolderRequest): void
  /** Brings the window to the front. */
  focus(): void
}

export interface Windows<W extends FolderWindow> {
  /** The windows, the last focused one first. */
  readonly all: readonly W[]
  add(window: W): void
  /** Call this when a window gets the focus. */
  focused(window: W): void
  remove(window: W): void
  /** The window that has the folder. */
  of(folder: string): W | null
  /**
   * Shows a folder: in the window that has it, else in a window without a folder, else in a new window.
   *
   * @returns the window
   */
  show(request: FolderRequest): W
}

/** @param open opens a window for this request */
export function createWindows<W extends FolderWindow>(open: (request: FolderRequest) => W): Windows<W> {
  let all: readonly W[] = []
  const of = (folder: string): W | null => all.find((window) => window.folder === folder) ?? null
  return {
    get all() {
      return all
    },
    add(window) {
      all = [window, ...all]
    },
    focused(window) {
      if (all.includes(window)) all = [window, ...all.filter((other) => other !== window)]
    },
    remove(window) {
      all = all.filter((other) => other !== window)
    },
    of,
    show(request) {
      const own = of(request.folder)
      const there = own ?? all.find(({ folder }) => folder === null)
      if (there === undefined) return open(request)
      if (own === null || request.conversationId !== null) there.show(request)
      there.focus()
      return there
    },
  }
}
