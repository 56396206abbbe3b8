/** A new agent: from a template, or written by an agent from a description. */
import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { showDialog, type WritableSource } from '../editor-store.ts'
import { DescribeAgent } from './describe-agent.tsx'
import { FromTemplate } from './from-template.tsx'

/** `source`: where it is first thought to go. */
export function NewAgentDialog({ source: first }: { readonly source: WritableSource }) {
  const [way, setWay] = useState<'template' | 'describe'>('template')
  const [source, setSource] = useState(first)
  const close = () => showDialog(null)
  return (
    <Dialog open onClose={close} title="New agent" width={600}>
      <Segmented
        label="How to begin"
        value={way}
        onChange={setWay}
        options={[
          { value: 'template', label: 'From a template' },
          { value: 'describe', label: 'Describe it' },
        ]}
      />
      <div className="pt-3">
        {way === 'template' ? (
          <FromTemplate source={source} onSource={setSource} onDone={close} />
        ) : (
          <DescribeAgent source={source} onSource={setSource} onDone={close} />
        )}
      </div>
    </Dialog>
  )
}
