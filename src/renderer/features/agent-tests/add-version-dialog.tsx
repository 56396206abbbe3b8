/** Adds a version to compare: a definition, and what of its model, effort and skills is other. */
import { type ReactNode, useEffect, useState } from 'react'
import type { AgentVersion, VersionRef } from '../../../shared/agent-tests/agent-tests.ts'
import { type Effort, efforts } from '../../../shared/models/effort.ts'
import { command } from '../../bridge.ts'
import { useDialogCommand } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { loadModels, modelChoices, useModels } from '../../stores/settings-store.ts'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { addVersion } from './bench-store.ts'

interface AddVersionDialogProps {
  readonly folder: string
  readonly agent: string
  readonly agents: readonly string[]
  readonly skills: readonly string[]
  readonly draft: string | null
  readonly onClose: () => void
}

const AS_IT_IS = ''

export function AddVersionDialog({ folder, agent, agents, skills, draft, onClose }: AddVersionDialogProps) {
  const saved = useSavedVersions(folder, agent, draft)
  const [base, setBase] = useState(draft === null ? 'in-use' : 'draft')
  const [model, setModel] = useState(AS_IT_IS)
  const [effort, setEffort] = useState<Effort | ''>(AS_IT_IS)
  const [skill, setSkill] = useState(AS_IT_IS)
  const { busy, failure, run } = useDialogCommand()
  const add = async () => {
    const ref: VersionRef = {
      base: baseOf(base, draft),
      model: model === AS_IT_IS ? null : model,
      effort: effort === AS_IT_IS ? null : effort,
      skill: skill === AS_IT_IS ? null : skill,
    }
    const answer = await run(() => addVersion(ref))
    if (answer?.ok === true) onClose()
  }
  return (
    <FormDialog
      title="Add version"
      description="A column of the results: another definition, or the same with another model, effort or skill."
      label="Add version"
      width={520}
      isReady
      busy={busy}
      onClose={onClose}
      onSubmit={() => void add()}
    >
      <Line label="Definition">
        <SelectMenu
          label="Definition"
          value={base}
          options={baseOptions({ draft, saved: saved.versions, agents, agent })}
          note={saved.failure}
          onChange={setBase}
        />
      </Line>
      <Line label="Model">
        <ModelMenu value={model} onChange={setModel} />
      </Line>
      <Line label="Effort">
        <SelectMenu
          label="Effort"
          value={effort}
          options={[
            { value: AS_IT_IS, label: 'Its own effort' },
            ...efforts.map((value) => ({ value, label: value })),
          ]}
          onChange={(value) => setEffort(efforts.find((each) => each === value) ?? AS_IT_IS)}
        />
      </Line>
      <Line label="Skill">
        <SelectMenu
          label="Skill"
          value={skill}
          options={[
            { value: AS_IT_IS, label: 'No other skill' },
            ...skills.map((name) => ({ value: name, label: name })),
          ]}
          note={skills.length === 0 ? 'This folder has no skills.' : null}
          onChange={setSkill}
        />
      </Line>
      <FormFailure message={failure?.message ?? null} />
    </FormDialog>
  )
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] items-center text-fg-1 text-sm">
      <span aria-hidden="true">{label}</span>
      <span className="flex min-w-0">{children}</span>
    </div>
  )
}

function ModelMenu({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (model: string) => void
}) {
  const { models, failure } = useModels()
  const aliases = useSession((state) => state.settings.modelAliases)
  const choices = modelChoices(models, aliases, value === AS_IT_IS ? 'sonnet' : value)
  return (
    <SelectMenu
      label="Model"
      value={value}
      options={[{ value: AS_IT_IS, label: 'Its own model' }, ...choices]}
      note={failure}
      onOpen={() => void loadModels()}
      onChange={onChange}
    />
  )
}

interface Saved {
  readonly versions: readonly AgentVersion[]
  readonly failure: string | null
}

/** The definition at its earlier commits, the newest first. */
function useSavedVersions(folder: string, agent: string, draft: string | null): Saved {
  const [saved, setSaved] = useState<Saved>({ versions: [], failure: null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft may go on; the commits are the same
  useEffect(() => {
    let isClosed = false
    void command('agentTests.versions', { folder, agent, draft }).then((answer) => {
      if (isClosed) return
      setSaved(
        answer.ok
          ? { versions: answer.value.filter(({ ref }) => ref.base.type === 'commit'), failure: null }
          : { versions: [], failure: answer.failure.message },
      )
    })
    return () => {
      isClosed = true
    }
  }, [folder, agent])
  return saved
}

const COMMIT = 'commit '
const AGENT = 'agent '

function baseOptions({
  draft,
  saved,
  agents,
  agent,
}: {
  readonly draft: string | null
  readonly saved: readonly AgentVersion[]
  readonly agents: readonly string[]
  readonly agent: string
}) {
  return [
    { value: 'in-use', label: 'In use' },
    ...(draft === null
      ? []
      : [{ value: 'draft', label: 'Draft', hint: 'The text in the editor as it is now.' }]),
    ...saved.flatMap(({ ref: { base }, title, note }) =>
      base.type === 'commit' ? [{ value: COMMIT + base.commit, label: title, hint: note }] : [],
    ),
    ...agents
      .filter((name) => name !== agent)
      .map((name) => ({ value: AGENT + name, label: name, hint: 'Another agent' })),
  ]
}

function baseOf(value: string, draft: string | null): VersionRef['base'] {
  if (value.startsWith(COMMIT)) return { type: 'commit', commit: value.slice(COMMIT.length) }
  if (value.startsWith(AGENT)) return { type: 'agent', name: value.slice(AGENT.length) }
  return value === 'draft' && draft !== null ? { type: 'draft', text: draft } : { type: 'in-use' }
}
