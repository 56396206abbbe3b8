/** The dialogs of the editor: at most one is open. */
import { useEditor } from '../editor-store.ts'
import { DuplicateDialog } from './duplicate-dialog.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'

export function EditorDialogs() {
  const dialog = useEditor((state) => state.dialog)
  switch (dialog?.kind) {
    case 'new':
      return <NewAgentDialog source={dialog.source} />
    case 'duplicate':
      return <DuplicateDialog key={dialog.id} id={dialog.id} source={dialog.source} />
    case 'rename':
      return <RenameDialog key={dialog.id} id={dialog.id} />
    case undefined:
      return null
  }
}
