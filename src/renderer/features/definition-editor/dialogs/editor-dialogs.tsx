/** The open dialog of the editor; at most one is open. */
import { useEditor, type WritableSource } from '../editor-store.ts'
import { useWritableSources } from '../use-writable-sources.ts'
import { DuplicateDialog } from './duplicate-dialog.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { TrashDialog } from './trash-dialog.tsx'

export function EditorDialogs() {
  const dialog = useEditor((state) => state.dialog)
  const sources = useWritableSources()
  const available = (wanted: WritableSource) => (sources.includes(wanted) ? wanted : 'user')
  switch (dialog?.kind) {
    case 'new':
      return <NewAgentDialog source={available(dialog.source)} template={dialog.template} />
    case 'duplicate':
      return <DuplicateDialog key={dialog.id} id={dialog.id} source={available(dialog.source)} />
    case 'rename':
      return <RenameDialog key={dialog.id} id={dialog.id} />
    case 'trash':
      return <TrashDialog />
    case undefined:
      return null
  }
}
