/** Sends a task to several agents: the task, the agents with their models, and the command that checks the results. */
import { Plug, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { FEWEST_ATTEMPTS, MOST_ATTEMPTS } from '../../../shared/comparison/comparison.ts'
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import { command } from '../../bridge.ts'
import { keepTask, startComparison, useComparisonStore } from '../../stores/comparison-store.ts'
import { useConversationLimits } from '../../stores/limits-store.ts'
import { useDialogCommand } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { loadModels, modelChoices, useModels } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { shortcutText } from '../../ui/kbd.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { formatDuration, formatMoney, formatTokens } from '../../ui/text/format.ts'
import { INPUT_CLASS, TextField } from '../../ui/text-field.tsx'

interface Wanted {
  readonly key: number
  readonly agent: string
  /** Empty: the model of the definition. */
  readonly model: string
}

export function BestDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const opened = useComparisonStore((state) => state.opened)
  return <Form key={opened} open={open} onClose={onClose} />
}

const NO_GIT =
  'The agents need worktrees, and this folder is not in a git repository. Run git init and make a first commit to start them.'

/** Why no agent can start in the folder; null: they can. */
function useObstacle(): string | null {
  const folder = useSession((state) => state.folder)
  const hasGit = folder === null || folder.gitBranch !== null || folder.dirtyFiles !== null
  return hasGit ? null : NO_GIT
}

/** The agent that is proposed, until the user chooses others. */
const USUAL = 'general-purpose'

function Form({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [task, setTask] = useState(useComparisonStore.getState().task)
  /** The task that Escape has cleared. */
  const [cleared, setCleared] = useState('')
  const hint = useId()
  const agents = useChoosableAgents()
  const [attempts, setAttempts] = useState<readonly Wanted[]>(() => {
    const first = agents.some(({ value }) => value === USUAL) ? USUAL : (agents[0]?.value ?? USUAL)
    return [0, 1].map((key) => ({ key, agent: first, model: '' }))
  })
  const check = useSuggestedCheck()
  const uncommitted = useUncommitted()
  const { busy, failure, run } = useDialogCommand()
  const obstacle = useObstacle()
  const start = async () => {
    const answer = await run(() =>
      startComparison({
        task: task.trim(),
        attempts: attempts.map(({ agent, model }) => ({ agent, model: model === '' ? null : model })),
        command: check.text.trim() === '' ? null : check.text.trim(),
      }),
    )
    if (answer?.ok) onClose()
  }
  const leave = () => {
    keepTask(task.trim() === '' ? cleared : task)
    onClose()
  }
  const onTaskKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && task.trim() !== '') {
      setCleared(task)
      setTask('')
    } else if (event.key === 'z' && (event.ctrlKey || event.metaKey) && task === '' && cleared !== '') {
      setTask(cleared)
      setCleared('')
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <FormDialog
      open={open}
      onClose={leave}
      width={600}
      className="top-[9vh] max-h-[84vh]"
      title="Send to several agents"
      description="Each agent works on the task in its own git worktree, made from the last commit. You compare the results and merge one."
      label={`Start ${attempts.length} agents`}
      isReady={obstacle === null && task.trim() !== '' && attempts.length >= FEWEST_ATTEMPTS}
      busy={busy}
      onSubmit={() => void start()}
    >
      <label className="grid gap-1 text-fg-1 text-sm">
        Task
        <textarea
          value={task}
          rows={3}
          placeholder="What should each agent do?"
          // biome-ignore lint/a11y/noAutofocus: the user opened the dialog to write
          autoFocus={task === ''}
          aria-describedby={hint}
          onKeyDown={onTaskKey}
          onChange={(event) => setTask(event.target.value)}
          className={`${INPUT_CLASS} max-h-48 min-h-16 resize-y py-1.5`}
        />
      </label>
      <span id={hint} role="status" className="-mt-2 text-fg-2 text-sm empty:hidden">
        {task === '' && cleared !== '' && `Cleared. ${shortcutText('Mod Z')} undoes this, Esc closes.`}
      </span>
      <Attempts attempts={attempts} agents={agents} onChange={setAttempts} />
      <TextField
        label="Check"
        mono
        value={check.text}
        placeholder="npm test"
        hint={
          check.from === null
            ? 'A command that runs in each worktree when its agent has ended. Empty: no check.'
            : `From ${check.from}. It runs in each worktree when its agent has ended. Empty: no check.`
        }
        onChange={(event) => check.change(event.target.value)}
      />
      <UncommittedText files={uncommitted} />
      <LimitText />
      {obstacle !== null && (
        <p role="note" className="text-fg-1 text-sm">
          {obstacle}
        </p>
      )}
      <FormFailure message={failure?.message ?? null} />
    </FormDialog>
  )
}

interface ChoosableAgent {
  readonly value: string
  readonly label: string
  readonly hint: string
  /** An external agent. */
  readonly isProgram: boolean
}

interface AttemptsProps {
  readonly attempts: readonly Wanted[]
  readonly agents: readonly ChoosableAgent[]
  readonly onChange: (attempts: readonly Wanted[]) => void
}

function Attempts({ attempts, agents, onChange }: AttemptsProps) {
  const models = useModelOptions()
  const isProgram = (name: string) => agents.some(({ value, isProgram }) => isProgram && value === name)
  const change = (key: number, part: Partial<Wanted>) =>
    onChange(attempts.map((one) => (one.key === key ? { ...one, ...part } : one)))
  const add = () => {
    const last = attempts.at(-1)
    const key = Math.max(0, ...attempts.map((one) => one.key)) + 1
    onChange([...attempts, { key, agent: last?.agent ?? USUAL, model: '' }])
  }
  return (
    <fieldset className="grid gap-1.5">
      <legend className="pb-1 text-fg-1 text-sm">Agents</legend>
      <ul className="grid grid-cols-[1rem_minmax(0,auto)_minmax(0,auto)_1fr] gap-x-1.5 gap-y-1">
        {attempts.map(({ key, agent, model }, index) => (
          <li key={key} className="col-span-full grid grid-cols-subgrid items-center">
            <span className="text-right font-mono text-fg-2 text-xs">{index + 1}</span>
            <span className="flex min-w-0">
              <SelectMenu
                label={`Agent ${index + 1}`}
                value={agent}
                options={agents}
                {...(isProgram(agent) && { icon: Plug })}
                onChange={(next) => change(key, { agent: next })}
              />
            </span>
            <span className="flex min-w-0">
              <SelectMenu
                label={`Model of agent ${index + 1}`}
                value={model}
                options={models}
                note={isProgram(agent) ? 'Counts if the program offers a model of this name.' : null}
                onOpen={() => void loadModels()}
                onChange={(next) => change(key, { model: next })}
              />
            </span>
            <IconButton
              className="justify-self-end"
              label={`Remove agent ${index + 1}`}
              icon={X}
              disabled={attempts.length <= FEWEST_ATTEMPTS}
              onClick={() => onChange(attempts.filter((one) => one.key !== key))}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button variant="quiet" disabled={attempts.length >= MOST_ATTEMPTS} onClick={add}>
          <Plus size={13} aria-hidden="true" /> Add agent
        </Button>
      </div>
    </fieldset>
  )
}

/** The definitions that can do work. */
function useChoosableAgents(): readonly ChoosableAgent[] {
  const definitions = useSession((state) => state.definitions)
  return definitions
    .filter(({ hidden, readOnly }) => !hidden && !readOnly)
    .map(({ name, description, isProgram = false }) => ({
      ...{ value: name, label: name, isProgram },
      hint: description.length > 90 ? `${description.slice(0, 89)}…` : description,
    }))
}

function useModelOptions() {
  const { models } = useModels()
  const aliases = useSession((state) => state.settings.modelAliases)
  const choices = modelChoices(models, aliases, 'sonnet')
  return [{ value: '', label: 'Its own model' }, ...choices.map(({ value, label }) => ({ value, label }))]
}

/** The text of the check: what the folder suggests, until the user writes another. */
function useSuggestedCheck() {
  const folder = useSession((state) => state.folder?.path ?? null)
  const [written, setWritten] = useState<string | null>(null)
  const [suggested, setSuggested] = useState<{ command: string; from: string } | null>(null)
  useEffect(() => {
    if (folder === null) return
    let isCurrent = true
    void command('comparison.suggestCheck', { folder }).then((answer) => {
      if (isCurrent && answer.ok) setSuggested(answer.value)
    })
    return () => {
      isCurrent = false
    }
  }, [folder])
  return {
    text: written ?? suggested?.command ?? '',
    from: written === null ? (suggested?.from ?? null) : null,
    change: setWritten,
  }
}

/** The files of the folder that the agents will not have. */
function useUncommitted(): readonly string[] {
  const folder = useSession((state) => state.folder?.path ?? null)
  const [files, setFiles] = useState<readonly string[]>([])
  useEffect(() => {
    if (folder === null) return
    let isCurrent = true
    void command('comparison.uncommitted', { folder }).then((answer) => {
      if (isCurrent && answer.ok) setFiles(answer.value)
    })
    return () => {
      isCurrent = false
    }
  }, [folder])
  return files
}

const MOST_NAMED = 5

function UncommittedText({ files }: { readonly files: readonly string[] }) {
  if (files.length === 0) return null
  const more = files.length - MOST_NAMED
  return (
    <p role="note" className="text-fg-1 text-sm wrap-anywhere">
      {files.length === 1 ? 'One file is not committed' : `${files.length} files are not committed`}, so the
      agents begin without {files.length === 1 ? 'it' : 'them'}:{' '}
      <span className="font-mono text-xs">{files.slice(0, MOST_NAMED).join(', ')}</span>
      {more > 0 && ` and ${more} more`}. Commit what the task needs first.
    </p>
  )
}

function LimitText() {
  const limits = useConversationLimits()
  const text = limitsText(limits)
  return (
    <p className="text-fg-2 text-sm">
      {text === ''
        ? 'The conversation has no limit. Each agent costs about as much as one that works alone.'
        : `All agents of the conversation together may use ${text}. Each agent costs about as much as one that works alone.`}
    </p>
  )
}

/** "$5.00, 2M tokens" */
function limitsText({ usd, tokens, ms }: SpendLimits): string {
  return [
    usd === null ? null : formatMoney(usd),
    tokens === null ? null : `${formatTokens(tokens)} tokens`,
    ms === null ? null : formatDuration(ms),
  ]
    .filter((part) => part !== null)
    .join(', ')
}
