/** Delivers live output to the window: immediately, but at a limited rate. */

/** Minimum ms between two deliveries. */
const INTERVAL = 16
/** Maximum characters of a delivery. Of more output, only the latest part is shown. */
const MOST = 64 * 1024

interface LiveOutput {
  push(text: string): void
  /** Delivers pending output. No output may be pushed afterwards. */
  end(): void
}

export function createLiveOutput(deliver: (text: string) => void): LiveOutput {
  let waiting: string[] = []
  let length = 0
  let skipped = false
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (length === 0) return
    const text = waiting.join('')
    const shown = text.length > MOST ? text.slice(-MOST) : text
    const mark = skipped || shown !== text ? '\n[… faster than it can be shown …]\n' : ''
    waiting = []
    length = 0
    skipped = false
    deliver(mark + shown)
  }

  function wait(): void {
    timer = setTimeout(() => {
      timer = null
      if (length === 0) return
      flush()
      wait()
    }, INTERVAL)
  }

  return {
    push: (text) => {
      waiting.push(text)
      length += text.length
      let first = waiting[0]
      while (first !== undefined && length - first.length >= MOST) {
        waiting.shift()
        length -= first.length
        skipped = true
        first = waiting[0]
      }
      if (timer !== null) return
      flush()
      wait()
    },
    end: () => {
      if (timer !== null) clearTimeout(timer)
      flush()
    },
  }
}
