/** Detects when the loading page has its code and is busy running it. */

interface PageCode {
  /** Call this with the path of each file that the page requests. */
  served(path: string): void
  /** Call this when the page is ready or failed to load: nothing more to wait for. */
  enough(): void
  /** Resolves once the page has its code. */
  readonly there: Promise<void>
}

/** ms after a file of code: a page requests all code files together. */
const QUIET = 15

export function createPageCode(): PageCode {
  let timer: NodeJS.Timeout | undefined
  let enough = (): void => {}
  const there = new Promise<void>((resolve) => {
    enough = resolve
  })
  return {
    served(path) {
      // Scripts are requested only after the page itself.
      if (path.endsWith('.html')) return
      clearTimeout(timer)
      timer = setTimeout(enough, QUIET)
    },
    enough,
    there,
  }
}
