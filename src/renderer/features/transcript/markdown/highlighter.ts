/** The window's side of highlighting: asks the worker and caches its answers. */
import { useEffect, useState } from 'react'
import { once } from '../../../../shared/kernel/once.ts'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { languageOf } from '../../../ui/code/language-names.ts'
import type { HighlightAnswer, HighlightRequest } from './highlight-protocol.ts'

/** Longer code stays plain. */
const LONGEST_CODE = 100_000
/** The size of the cache in characters of code, so that scrolling back does not flash. */
const REMEMBERED = 2_000_000

/** The highlighted lines of code; null until they are ready, and the code is shown plain. */
export function useHighlight(code: string, language: string): readonly HighlightedLine[] | null {
  const name = languageOf(language)
  const key = `${name}\n${code}`
  const [answered, setAnswered] = useState<{ key: string; lines: readonly HighlightedLine[] } | null>(null)
  useEffect(() => {
    if (
      name === null ||
      code.length > LONGEST_CODE ||
      typeof Worker === 'undefined' ||
      highlighter.linesOf(key)
    )
      return
    return highlighter.ask(code, name, (lines) => {
      if (lines === null) return
      highlighter.remember(key, lines)
      setAnswered({ key, lines })
    })
  }, [code, name, key])
  return highlighter.linesOf(key) ?? (answered?.key === key ? answered.lines : null)
}

/** The highlighter of the whole window: its worker, what was asked of it, and its last answers. */
class Highlighter {
  private readonly answers = new Map<string, readonly HighlightedLine[]>()
  /** Characters of code in `answers`. */
  private remembered = 0
  private readonly waiting = new Map<number, (lines: HighlightAnswer['lines']) => void>()
  private lastId = 0
  private readonly worker = once(() => {
    const worker = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data: { id, lines } }: MessageEvent<HighlightAnswer>) => {
      const then = this.waiting.get(id)
      this.waiting.delete(id)
      then?.(lines)
    }
    return worker
  })

  linesOf(key: string): readonly HighlightedLine[] | undefined {
    return this.answers.get(key)
  }

  /** Calls `then` with the lines, unless the returned function cancels first. */
  ask(code: string, language: string, then: (lines: HighlightAnswer['lines']) => void): () => void {
    const id = ++this.lastId
    this.waiting.set(id, then)
    this.worker().postMessage({ id, code, language } satisfies HighlightRequest)
    return () => this.waiting.delete(id)
  }

  /** Keeps an answer, and forgets the oldest ones above the limit. */
  remember(key: string, lines: readonly HighlightedLine[]): void {
    this.answers.set(key, lines)
    this.remembered += key.length
    for (const oldest of this.answers.keys()) {
      if (this.remembered <= REMEMBERED || oldest === key) break
      this.answers.delete(oldest)
      this.remembered -= oldest.length
    }
  }
}

const highlighter = new Highlighter()
