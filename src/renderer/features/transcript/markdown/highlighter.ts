/** The window's side of highlighting: asks the worker and caches its answers. */
import { useEffect, useState } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { languageOf } from '../../../ui/code/language-names.ts'
import type { HighlightAnswer, HighlightRequest } from './highlight-protocol.ts'

/** Longer code stays plain. */
const LONGEST_CODE = 100_000
/** The size of the cache in characters of code, so that scrolling back does not flash. */
const REMEMBERED = 2_000_000

const answers = new Map<string, readonly HighlightedLine[]>()
let remembered = 0
const waiting = new Map<number, (lines: HighlightAnswer['lines']) => void>()
let worker: Worker | null = null
let lastId = 0

/** The highlighted lines of code; null until they are ready, and the code is shown plain. */
export function useHighlight(code: string, language: string): readonly HighlightedLine[] | null {
  const name = languageOf(language)
  const key = `${name}\n${code}`
  const [answered, setAnswered] = useState<{ key: string; lines: readonly HighlightedLine[] } | null>(null)
  useEffect(() => {
    if (name === null || code.length > LONGEST_CODE || typeof Worker === 'undefined' || answers.has(key))
      return
    return ask(code, name, (lines) => {
      if (lines === null) return
      remember(key, lines)
      setAnswered({ key, lines })
    })
  }, [code, name, key])
  return answers.get(key) ?? (answered?.key === key ? answered.lines : null)
}

function ask(code: string, language: string, then: (lines: HighlightAnswer['lines']) => void): () => void {
  worker ??= startWorker()
  const id = ++lastId
  waiting.set(id, then)
  worker.postMessage({ id, code, language } satisfies HighlightRequest)
  return () => waiting.delete(id)
}

/** The highlighter of the whole window. */
function startWorker(): Worker {
  const started = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' })
  started.onmessage = (event: MessageEvent<HighlightAnswer>) => {
    const then = waiting.get(event.data.id)
    waiting.delete(event.data.id)
    then?.(event.data.lines)
  }
  return started
}

function remember(key: string, lines: readonly HighlightedLine[]): void {
  answers.set(key, lines)
  remembered += key.length
  for (const oldest of answers.keys()) {
    if (remembered <= REMEMBERED || oldest === key) break
    answers.delete(oldest)
    remembered -= oldest.length
  }
}
