/** Creates an agent from a template. */
import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { useState } from 'react'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { Button } from '../../../ui/button.tsx'
import { Form, SubmitButton } from '../../../ui/form-dialog.tsx'
import { createDefinition, withName } from '../definition-files.ts'
import { useEditor, type WritableSource } from '../editor-store.ts'
import { definitionTemplates } from '../templates.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { NameAndSource } from './name-and-source.tsx'

interface FromTemplateProps {
  readonly source: WritableSource
  /** The name of the template that is chosen at first. */
  readonly template?: string | undefined
  readonly onSource: (source: WritableSource) => void
  readonly onDone: () => void
}

export function FromTemplate({ source, template: first, onSource, onDone }: FromTemplateProps) {
  const entries = useEditor((state) => state.catalog.entries)
  const folder = useEditor((state) => state.folder ?? '')
  const [template, setTemplate] = useState(
    definitionTemplates.find(({ name }) => name === first) ?? definitionTemplates[0],
  )
  /** Null: a free name based on the template's. */
  const [typed, setTyped] = useState<string | null>(null)
  const name = typed ?? freeName({ name: template.name, source, folder, entries })
  const check = checkNewFile({ name, source, folder, entries })

  const { busy, failure, clearFailure, run } = useDialogCommand()
  const create = async () => {
    const text = name.trim() === template.name ? template.text : withName(template.text, name.trim())
    const answer = await run(() => createDefinition({ source, path: check.path, text }))
    if (answer?.ok) onDone()
  }
  const isReady = check.error === null
  return (
    <Form canSubmit={isReady && !busy} onSubmit={() => void create()}>
      <RadioGroup
        aria-label="Template"
        value={template.name}
        onValueChange={(next) => {
          setTemplate(definitionTemplates.find((other) => other.name === next) ?? template)
          clearFailure()
        }}
        className="grid grid-cols-2 gap-1.5"
      >
        {definitionTemplates.map((each) => (
          <Radio.Root
            key={each.name}
            value={each.name}
            aria-label={`${each.title}: ${each.summary}`}
            style={agentStyle(each.color)}
            className="grid grid-cols-[8px_minmax(0,1fr)] content-start items-baseline gap-x-2 rounded-md border border-line bg-bg-0 px-2.5 py-1.5 text-left hover:border-line-strong data-[checked]:border-accent data-[checked]:bg-bg-2"
          >
            <span aria-hidden="true" className="size-2 rounded-full bg-agent" />
            <span className="font-medium text-fg-0 text-sm">{each.title}</span>
            <span className="col-start-2 text-fg-2 text-xs">{each.summary}</span>
          </Radio.Root>
        ))}
      </RadioGroup>
      <NameAndSource
        name={name}
        source={source}
        check={check}
        failure={failure?.message ?? null}
        onName={(next) => {
          setTyped(next)
          clearFailure()
        }}
        onSource={onSource}
      />
      <div className="-mx-5 sticky bottom-0 flex justify-end gap-2 bg-bg-1 px-5 pt-1">
        <Button size="md" onClick={onDone}>
          Cancel
        </Button>
        <SubmitButton label="Create" isReady={isReady} busy={busy} />
      </div>
    </Form>
  )
}
