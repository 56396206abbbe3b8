/** The source editor of a definition. */
import { useEffect, useRef } from 'react'
import type { DefinitionDocument } from '../definition-document.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

interface SourcePaneProps {
  readonly document: DefinitionDocument
  readonly surroundings: DefinitionSurroundings

  readonly readOnly: boolean
}

/** Fills its parent. Selection and scroll position stay with the document. */
export function SourcePane({ document, surroundings, readOnly }: SourcePaneProps) {
  const host = useRef<HTMLDivElement>(null)
  const detach = useRef(() => {})
  const label = `Source of ${surroundings.entry.path}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is detached with the document, not when options change
  useEffect(() => () => detach.current(), [document])
  useEffect(() => {
    if (host.current === null) return
    detach.current = document.attach(host.current, { surroundings, readOnly, label })
  }, [document, surroundings, readOnly, label])
  return <div ref={host} className="h-full min-h-0 min-w-0" />
}
