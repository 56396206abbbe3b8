/** The open dialog of the editor; at most one is open. */

import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { showDialog, useEditor, useWritableSources, type WritableSource } from '../editor-store.ts'
import { DescribeAgent } from './describe-agent.tsx'
import { DuplicateDialog } from './duplicate-dialog.tsx'
import { ConvertDialog, FixDialog } from './fix-dialogs.tsx'
import { FromTemplate } from './from-template.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { DefinitionTrashDialog } from './trash-dialog.tsx'

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
    case 'fix':
      return <FixDialog {...dialog} />
    case 'convert':
      return <ConvertDialog key={dialog.id} id={dialog.id} />
    case 'trash':
      return <DefinitionTrashDialog />
    case undefined:
      return null
  }
}

interface NewAgentDialogProps {
  readonly source: WritableSource
  readonly template?: string | undefined
}

/** `source` and `template` are preselected. */
function NewAgentDialog({ source: first, template }: NewAgentDialogProps) {
  const [method, setMethod] = useState<'template' | 'describe'>('template')
  const [source, setSource] = useState(first)
  const close = () => showDialog(null)
  return (
    <Dialog open onClose={close} title="New agent" width={600}>
      <Segmented
        label="Start from"
        value={method}
        onChange={setMethod}
        options={[
          { value: 'template', label: 'Template' },
          { value: 'describe', label: 'Description' },
        ]}
      />
      <div className="pt-3">
        {method === 'template' ? (
          <FromTemplate source={source} template={template} onSource={setSource} onDone={close} />
        ) : (
          <DescribeAgent source={source} onSource={setSource} onDone={close} />
        )}
      </div>
    </Dialog>
  )
}
