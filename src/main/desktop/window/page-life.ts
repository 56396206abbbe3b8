/** The life of a window's page: when it has its code, and whether it may be loaded again after a crash. */

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

/** Detects when the loading page has its code and is busy running it. */
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

const MOST = 3
/** ms */
const WITHIN = 60_000

/** Limits automatic reloads after crashes: three in a minute. */
export class CrashCount {
  private crashes: number[] = []

  /** Records a crash at `now` (monotonic ms). @returns whether the page may reload */
  mayReload(now: number): boolean {
    this.crashes = this.crashes.filter((at) => now - at < WITHIN)
    if (this.crashes.length >= MOST) return false
    this.crashes.push(now)
    return true
  }

  /** Resets the count. */
  forget(): void {
    this.crashes = []
  }
}
