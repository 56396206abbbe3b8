/** The model: an alias or a model id. */
import { useState } from 'react'
import { modelAliases } from '../../../../shared/agent-definition/definition-fields.ts'
import { MenuChoice, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { ChoiceField, MoreChoices } from './choice-field.tsx'
import { defaultValue, useForm } from './form-context.ts'
import { typingProps } from './text-fields.tsx'
import { useTextField } from './use-text-field.ts'

const COMMON = ['inherit', 'haiku', 'sonnet', 'opus'] as const
const COMMON_OPTIONS = COMMON.map((value) => ({ value: value as string, label: value }))

export function ModelField({ className }: { readonly className?: string }) {
  const form = useForm()
  const { definition, surroundings, set } = form
  const { model } = definition
  const [isTyping, setTyping] = useState(false)
  const isCommon = COMMON.some((value) => value === model)
  const isAlias = modelAliases.some((alias) => alias === model)
  const isKnown = isAlias || surroundings.models.some(({ id }) => id === model)
  const choose = (value: string) => {
    setTyping(false)
    set('model', value === 'inherit' ? defaultValue(form, 'model', 'inherit') : value)
  }
  return (
    <ChoiceField
      label="Model"
      field="model"
      value={isTyping ? '' : model}
      options={COMMON_OPTIONS}
      onChange={choose}
      {...(className === undefined ? {} : { className })}
      {...(definition.forkContext
        ? { hint: 'Ignored: an agent with its parent’s conversation uses its parent’s model.' }
        : {})}
      more={
        <MoreChoices label="Other models" chosen={isCommon ? null : model}>
          <MenuChoice
            value={isTyping ? '' : model}
            options={[
              { value: 'fable', label: 'fable' },
              ...surroundings.models.map(({ id, name }) => ({ value: id, label: id, hint: name })),
            ]}
            onChange={choose}
          />
          {surroundings.models.length === 0 && <MenuNote>Models not loaded yet.</MenuNote>}
          <MenuSeparator />
          <MenuItem onSelect={() => setTyping(true)}>Other id…</MenuItem>
        </MoreChoices>
      }
    >
      {(isTyping || !isKnown) && <ModelId isNew={isTyping} onLeave={() => setTyping(false)} />}
    </ChoiceField>
  )
}

function ModelId({ isNew, onLeave }: { readonly isNew: boolean; readonly onLeave: () => void }) {
  const { definition, readOnly } = useForm()
  const isAlias = modelAliases.some((alias) => alias === definition.model)
  const draft = useTextField({
    field: 'model',
    value: isAlias ? '' : definition.model,
    check: (typed) => (/\s/.test(typed.trim()) ? 'A model id can’t contain spaces.' : null),
  })
  const typing = typingProps(draft)
  return (
    <>
      <input
        aria-label="Model id"
        autoComplete="off"
        spellCheck={false}
        readOnly={readOnly}
        placeholder="claude-…"
        aria-invalid={draft.error !== null || undefined}
        // biome-ignore lint/a11y/noAutofocus: the user opened the field
        autoFocus={isNew}
        {...typing}
        onBlur={() => {
          typing.onBlur()
          onLeave()
        }}
        className={`${INPUT_CLASS} h-[1.875rem] font-mono text-sm!`}
      />
      {draft.error !== null && (
        <p aria-live="polite" className="text-bad text-sm">
          {draft.error}
        </p>
      )}
    </>
  )
}
