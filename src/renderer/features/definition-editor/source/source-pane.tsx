/** The text of a definition as an editor. */
import { useEffect, useRef } from 'react'
import type { DefinitionDocument } from '../definition-document.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

interface SourcePaneProps {
  readonly document: DefinitionDocument
  readonly surroundings: DefinitionSurroundings
  /** Can be selected and copied, not changed. */
  readonly readOnly: boolean
}

/** Fills its parent. The cursor, what is selected and how far it is scrolled stay with the document. */
export function SourcePane({ document, surroundings, readOnly }: SourcePaneProps) {
  const host = useRef<HTMLDivElement>(null)
  const end = useRef(() => {})
  const label = `Source of ${surroundings.entry.path}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view ends with the document, not with its options
  useEffect(() => () => end.current(), [document])
  useEffect(() => {
    if (host.current === null) return
    end.current = document.attach(host.current, { surroundings, readOnly, label })
  }, [document, surroundings, readOnly, label])
  return <div ref={host} className="h-full min-h-0 min-w-0" />
}
