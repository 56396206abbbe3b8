/** Creates an agent from a template or from a description. */
import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { showDialog, type WritableSource } from '../editor-store.ts'
import { DescribeAgent } from './describe-agent.tsx'
import { FromTemplate } from './from-template.tsx'

interface NewAgentDialogProps {
  readonly source: WritableSource
  readonly template?: string | undefined
}

/** `source` and `template` are preselected. */
export function NewAgentDialog({ source: first, template }: NewAgentDialogProps) {
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
