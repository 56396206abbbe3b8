/** What components read of a document: no more than they show, and no sooner than they must. */
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { Diagnostic } from '../../../shared/agent-definition/agent-definition.ts'
import { textProblems, textProblemsKey } from '../../../shared/agent-definition/text-problems.ts'
import { DelayedCall } from '../../ui/machine.ts'
import type { DefinitionDocument } from './definition-document.ts'
import { type ReadHead, readHead } from './source/read-head.ts'
import type { DefinitionSurroundings } from './surroundings.ts'

/** The frontmatter of a document. Renders again only when the frontmatter changed. */
export function useHead(document: DefinitionDocument, surroundings: DefinitionSurroundings): ReadHead {
  return useSyncExternalStore(document.subscribe, () => readHead(document.text, surroundings))
}

/** Problems of the characters of a document. Renders again only when there are other ones. */
export function useTextProblems(document: DefinitionDocument): readonly Diagnostic[] {
  const key = useSyncExternalStore(document.subscribe, () => textProblemsKey(document.text))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key tells the texts apart
  return useMemo(() => textProblems(document.text), [document, key])
}

/** Shorter texts are shown at once: their layout takes no time. */
const SHORT = 20_000
/** Delay after the last change of a long text, in ms. */
const SETTLED_MS = 300

/**
 * The text of a document. While `isLive` is false, changes of a long text appear when typing pauses: to lay out a long
 * text field again takes longer than a key may.
 */
export function useSettledText(document: DefinitionDocument, isLive: boolean): string {
  const [settled, setSettled] = useState({ document, text: document.text })
  // No text is as good as the present one for the first render, and for the user who types here.
  const isCurrent = settled.document === document && !isLive
  useEffect(() => {
    const update = () =>
      setSettled((before) =>
        before.document === document && before.text === document.text
          ? before
          : { document, text: document.text },
      )
    const later = new DelayedCall(update, SETTLED_MS)
    const onChange = () => {
      if (isLive || document.text.length < SHORT) return update()
      later.cancel()
      later.schedule()
    }
    update()
    const unsubscribe = document.subscribe(onChange)
    return () => {
      unsubscribe()
      later.cancel()
    }
  }, [document, isLive])
  return isCurrent ? settled.text : document.text
}
