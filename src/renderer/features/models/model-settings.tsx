import { useState } from 'react'
import { efforts } from '../../../shared/models/effort.ts'
import { thinkings } from '../../../shared/models/thinking.ts'
import { useSession } from '../../stores/session-store.ts'
import { loadModels, MODEL_ALIASES, modelChoices, useChange, useModels } from '../../stores/settings-store.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'

/** The default model, and the models of the aliases. */
export function ModelSettings() {
  const model = useSession((state) => state.settings.model)
  const effort = useSession((state) => state.settings.effort)
  const thinking = useSession((state) => state.settings.thinking)
  const aliases = useSession((state) => state.settings.modelAliases)
  const titles = useSession((state) => state.settings.modelTitles)
  const [titlesError, changeTitles] = useChange()
  const { models, phase, failure } = useModels()
  const [error, change] = useChange()
  const [effortError, changeEffort] = useChange()
  const [thinkingError, changeThinking] = useChange()
  return (
    <Section title="Models" hint="The model of a definition takes precedence.">
      <Row
        title="Model of new conversations"
        name="model"
        hint="You can change it in the composer."
        error={error}
      >
        <SelectMenu
          label="Default model"
          value={model}
          options={modelChoices(models, aliases, model)}
          onChange={(value) => void change({ model: value })}
          onOpen={() => void loadModels()}
          note={phase === 'loading' ? 'Loading models…' : failure}
        />
      </Row>
      <Row
        title="Effort"
        name="effort"
        hint="How much the model thinks. Models without this setting ignore it."
        error={effortError}
      >
        <SelectMenu
          label="Default effort"
          value={effort ?? 'default'}
          options={EFFORTS}
          onChange={(value) => void changeEffort({ effort: efforts.find((one) => one === value) ?? null })}
        />
      </Row>
      <Row
        title="Thinking"
        name="thinking"
        hint="Whether the model thinks before it answers. Some models always think."
        error={thinkingError}
      >
        <SelectMenu
          label="Default thinking"
          value={thinking ?? 'default'}
          options={THINKINGS}
          onChange={(value) =>
            void changeThinking({ thinking: thinkings.find((one) => one === value) ?? null })
          }
        />
      </Row>
      <Row
        title={TITLES}
        name="modelTitles"
        hint="One small request to the cheapest model after the first message. Off: the first sentence of the message is the title."
        error={titlesError}
      >
        <Switch label={TITLES} checked={titles} onChange={(on) => void changeTitles({ modelTitles: on })} />
      </Row>
      {MODEL_ALIASES.map((alias) => (
        <AliasRow key={alias} alias={alias} id={aliases[alias] ?? ''} all={aliases} />
      ))}
    </Section>
  )
}

const TITLES = 'A model names conversations'

const EFFORTS = [
  { value: 'default', label: 'Default', hint: 'as the model sets it' },
  ...efforts.map((value) => ({ value: value as string, label: value, hint: '' })),
]

const THINKINGS = [
  { value: 'default', label: 'Default', hint: 'as the model sets it' },
  ...thinkings.map((value) => ({ value: value as string, label: value, hint: '' })),
]

interface AliasRowProps {
  readonly alias: string
  readonly id: string
  readonly all: Readonly<Record<string, string>>
}

function AliasRow({ alias, id, all }: AliasRowProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const [error, change] = useChange()
  const wrong = typed !== null && /\s/.test(typed.trim())
  const take = () => {
    if (typed === null || wrong) return
    setTyped(null)
    const { [alias]: _, ...others } = all
    const next = typed.trim()
    if (next !== id) void change({ modelAliases: next === '' ? others : { ...others, [alias]: next } })
  }
  return (
    <Row
      title={`Alias “${alias}”`}
      name={`modelAliases.${alias}`}
      error={wrong ? 'A model id has no spaces.' : error}
    >
      <input
        aria-label={`Model of the alias ${alias}`}
        value={typed ?? id}
        placeholder="default"
        maxLength={200}
        aria-invalid={wrong || undefined}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
        className={`${INPUT_CLASS} h-7 w-56! font-mono text-sm`}
      />
    </Row>
  )
}
