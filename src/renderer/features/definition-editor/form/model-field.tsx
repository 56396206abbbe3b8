/** The model: an alias, or any id that the API knows. */
import { useState } from 'react'
import { modelAliases } from '../../../../shared/agent-definition/definition-fields.ts'
import { MenuChoice, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { ChoiceField, MoreChoices } from './choice-field.tsx'
import { useForm, usualValue } from './form-context.ts'
import { typingProps } from './text-fields.tsx'
import { useWords } from './use-words.ts'

const AT_HAND = ['inherit', 'haiku', 'sonnet', 'opus'] as const
const AT_HAND_OPTIONS = AT_HAND.map((value) => ({ value: value as string, label: value }))

export function ModelField({ className }: { readonly className?: string }) {
  const form = useForm()
  const { definition, surroundings, set } = form
  const { model } = definition
  const [isTyping, setTyping] = useState(false)
  const isAtHand = AT_HAND.some((value) => value === model)
  const isAlias = modelAliases.some((alias) => alias === model)
  const isKnown = isAlias || surroundings.models.some(({ id }) => id === model)
  const choose = (value: string) => {
    setTyping(false)
    set('model', value === 'inherit' ? usualValue(form, 'model', 'inherit') : value)
  }
  return (
    <ChoiceField
      label="Model"
      field="model"
      value={isTyping ? '' : model}
      options={AT_HAND_OPTIONS}
      onChange={choose}
      {...(className === undefined ? {} : { className })}
      {...(definition.forkContext
        ? { hint: 'It sees its parent’s conversation, so it has its parent’s model, whatever stands here.' }
        : {})}
      more={
        <MoreChoices label="Other models" chosen={isAtHand ? null : model}>
          <MenuChoice
            value={isTyping ? '' : model}
            options={[
              { value: 'fable', label: 'fable' },
              ...surroundings.models.map(({ id, name }) => ({ value: id, label: id, hint: name })),
            ]}
            onChange={choose}
          />
          {surroundings.models.length === 0 && <MenuNote>The API’s models are not known yet.</MenuNote>}
          <MenuSeparator />
          <MenuItem onSelect={() => setTyping(true)}>Another id…</MenuItem>
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
  const draft = useWords({
    field: 'model',
    value: isAlias ? '' : definition.model,
    check: (typed) => (/\s/.test(typed.trim()) ? 'A model’s id has no blanks.' : null),
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
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked for it
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
