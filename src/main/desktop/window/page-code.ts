/** Knows when the page that is being opened has got its code and is busy running it. */

export interface PageCode {
  /** Call it with the path of each file that the page gets. */
  served(path: string): void
  /** Call it where nothing more is to be waited for: the page is there, or will not come. */
  enough(): void
  /** Resolves then. */
  readonly there: Promise<void>
}

/** ms after a file of code: a page asks for all of them together. */
const QUIET = 15

export function createPageCode(): PageCode {
  let timer: NodeJS.Timeout | undefined
  let enough = (): void => {}
  const there = new Promise<void>((resolve) => {
    enough = resolve
  })
  return {
    served(path) {
      // Scripts are asked for only once the page itself is read.
      if (path.endsWith('.html')) return
      clearTimeout(timer)
      timer = setTimeout(enough, QUIET)
    },
    enough,
    there,
  }
}
