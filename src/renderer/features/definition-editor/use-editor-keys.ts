/** Save, undo and redo anywhere in the agents view. */
import { useEffect } from 'react'
import { isMac } from '../../ui/platform.ts'
import type { OpenDefinition } from './editor-store.ts'
import { saveDefinition } from './save-definition.ts'

export function useEditorKeys({ id, document, entry }: OpenDefinition): void {
  const { locked } = entry
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.defaultPrevented) return
      const key = event.key.toLowerCase()
      if (key === 's' && !event.shiftKey) {
        event.preventDefault()
        if (!event.repeat) void saveDefinition(id)
        return
      }
      // Fields, dialogs and the source have their own undo.
      if (locked || hasOwnUndo(event.target)) return
      if (key === 'z' && !event.shiftKey) document.undo()
      else if (key === 'z' || (key === 'y' && !isMac)) document.redo()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [id, document, locked])
}

function hasOwnUndo(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, [contenteditable="true"], [role="dialog"]') !== null
  )
}
