/**
 * The guide of the tutorial: a line at the foot of the window, in every view and over nothing. It shows the step, what to
 * press, and how many are left; a step is ticked by the event that proves it, and by nothing else.
 */
import { Check, GraduationCap, Minus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ChangesList } from '../../../shared/changes/changes.ts'
import {
  nextStep,
  TUTORIAL_STEPS,
  TUTORIAL_TASK,
  type TutorialState,
  type TutorialStep,
} from '../../../shared/tutorial/tutorial.ts'
import { openChanges, useChanges, useChangesOf } from '../../stores/changes-store.ts'
import { useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { draftOf, focusComposer, isEmptyDraft, useDraft } from '../../stores/draft-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { goToReview, useSnapshot } from '../../stores/review-store.ts'
import { setView, useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { revealAgent, revealLine, revealRequest } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogError } from '../../ui/form-dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { useStable } from '../../ui/use-stable.ts'
import { type GuidePlace, guideOf, readyWorktree, STEP_TITLES } from './guide-text.ts'
import {
  endProgram,
  leaveTutorial,
  openTutorial,
  putMessage,
  skipStep,
  useShowsTutorial,
  useTutorial,
} from './tutorial-store.ts'

export function TutorialGuide() {
  const state = useTutorial((tutorial) => tutorial.state)
  const folder = useSession((session) => session.folder?.path)
  const isShown = useShowsTutorial()
  if (state === null || folder !== state.folder) return null
  const step = nextStep(state)
  return (
    <aside
      aria-label="Tutorial"
      data-tutorial=""
      className="flex h-16 items-center gap-4 overflow-hidden border-line border-t bg-bg-2 px-3.5"
    >
      <Progress state={state} current={step} />
      {!isShown ? (
        <Elsewhere conversationId={state.conversationId} />
      ) : step === null ? (
        <Finished state={state} />
      ) : (
        <Step key={step} step={step} state={state} />
      )}
      <Button variant="quiet" onClick={() => void leaveTutorial()}>
        {step === null ? 'Close' : 'Leave'}
        <span className="sr-only"> the tutorial</span>
      </Button>
    </aside>
  )
}

function Progress({
  state,
  current,
}: {
  readonly state: TutorialState
  readonly current: TutorialStep | null
}) {
  const { done, skipped } = state
  return (
    <div className="grid shrink-0 gap-1">
      <span className="flex items-center gap-1.5 font-medium text-fg-1 text-xs">
        <GraduationCap size={13} aria-hidden="true" />
        Tutorial
        <span className="font-normal text-fg-2">
          {done.length} of {TUTORIAL_STEPS.length} done
        </span>
      </span>
      <ol aria-label="Steps" className="flex gap-1">
        {TUTORIAL_STEPS.map((step) => {
          const isDone = done.includes(step)
          const how = isDone
            ? 'done'
            : skipped.includes(step)
              ? 'skipped'
              : step === current
                ? 'now'
                : 'to do'
          return (
            <li
              key={step}
              title={`${STEP_TITLES[step]}: ${how}`}
              className={classNames(
                'grid size-[15px] place-items-center rounded-full border',
                isDone
                  ? 'border-ok text-ok'
                  : step === current
                    ? 'border-accent bg-accent/25'
                    : 'border-line-strong text-fg-2',
              )}
            >
              {isDone ? (
                <Check size={10} strokeWidth={3} aria-hidden="true" />
              ) : (
                how === 'skipped' && <Minus size={9} strokeWidth={3} aria-hidden="true" />
              )}
              <span className="sr-only">
                {STEP_TITLES[step]}: {how}
              </span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

interface TextProps {
  readonly title: string
  readonly children: ReactNode
}

function Text({ title, children }: TextProps) {
  return (
    <div role="status" className="min-w-0 flex-1">
      <p className="font-semibold text-fg-0 text-sm">{title}</p>
      <p className="line-clamp-2 text-fg-1 text-sm leading-[1.125rem]">{children}</p>
    </div>
  )
}

function Step({ step, state }: { readonly step: TutorialStep; readonly state: TutorialState }) {
  const keysOf = useKeysOf()
  const guide = useGuide(step, state)
  const needs = useNeeds().length
  const { keys, place, message } = guide
  const shown = keys === 'Enter' ? 'Enter' : keys === undefined ? undefined : keysOf(keys)
  const asks = needs > 0 && step !== 'answer'
  return (
    <>
      <Text title={guide.title}>
        {guide.text} {shown !== undefined && <Kbd keys={shown} />}
        {asks && (
          <>
            {' '}
            An agent asks you meanwhile. <Kbd keys={keysOf('requests') ?? ''} />
          </>
        )}
      </Text>
      {message !== undefined ? (
        <Button variant="primary" onClick={() => putMessage(message)}>
          Put message in composer
        </Button>
      ) : (
        place !== null && (
          <Button variant="primary" onClick={() => showPlace(place)}>
            Show me
          </Button>
        )
      )}
      {place?.kind === 'end' && <EndProgram />}
      <Button variant="quiet" onClick={() => void skipStep(step)}>
        Skip<span className="sr-only"> this step</span>
      </Button>
    </>
  )
}

function useGuide(step: TutorialStep, state: TutorialState) {
  useChangesOf(state.conversationId)
  const agents = useConversation(
    useStable(
      ({ agents, agentIds }) =>
        agentIds.flatMap((id) => {
          const agent = agents.get(id)
          return agent === undefined ? [] : [agent]
        }),
      (a, b) => a.length === b.length && a.every((agent, index) => agent === b[index]),
    ),
  )
  const changes = useChanges(({ list }) => list)
  const worktrees = useSnapshot()?.worktrees ?? []
  const hasDraft = !isEmptyDraft(useDraft(state.conversationId))
  return guideOf(step, state, {
    agents,
    changed: undoable(changes),
    hasDraft,
    readyWorktree: readyWorktree(agents, worktrees),
  })
}

/** The note that the script wrote comes before its fix: undoing the fix would leave nothing to merge. */
function undoable(list: ChangesList | null) {
  const files = (list?.calls ?? []).flatMap((call) => call.files)
  const open = files.filter(({ undone, cannot }) => !undone && cannot === null)
  return open.findLast(({ shown }) => shown.startsWith('NOTES')) ?? open.at(-1) ?? null
}

/** The window shows the folder, and another conversation. */
function Elsewhere({ conversationId }: { readonly conversationId: string }) {
  return (
    <>
      <Text title="Another conversation is on the screen">
        The tutorial’s agents continue in their own conversation.
      </Text>
      <Button variant="primary" onClick={() => void openConversation(conversationId)}>
        Back to the tutorial
      </Button>
    </>
  )
}

function Finished({ state: { done, skipped } }: { readonly state: TutorialState }) {
  const all = TUTORIAL_STEPS.length
  return (
    <>
      <Text
        title={
          done.length === all ? 'You have done all steps' : `You have done ${done.length} of ${all} steps`
        }
      >
        {skipped.length > 0 && `Skipped: ${skipped.map((step) => STEP_TITLES[step]).join(', ')}. `}A script
        played the model. For your own work, choose a model source and open a folder of yours.
      </Text>
      <Button variant="primary" onClick={() => showSettingsPart('access')}>
        Choose model source
      </Button>
      <Button variant="quiet" onClick={() => void openTutorial({ again: true })}>
        Start over
      </Button>
    </>
  )
}

/** Ends the program as a kill does, after a question. */
function EndProgram() {
  const [isAsked, setAsked] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  return (
    <>
      <Button data-end-program="" onClick={() => setAsked(true)}>
        End the program now…
      </Button>
      <Dialog
        open={isAsked}
        onClose={() => setAsked(false)}
        title="End the program now?"
        description="Troupe ends at once, as in a crash: all windows close, and every agent in every folder is interrupted. What they have done so far is saved. Start Troupe again yourself; it shows this conversation."
        actions={
          <>
            <Button size="md" onClick={() => setAsked(false)}>
              Cancel
            </Button>
            <Button size="md" variant="danger" onClick={() => void endProgram().then(setProblem)}>
              End the program
            </Button>
          </>
        }
      >
        <DialogError message={problem} />
      </Dialog>
    </>
  )
}

// Pointing at a control: it gets the focus, and a ring until it loses it.

function showPlace(place: GuidePlace): void {
  const selector = SELECTORS[place.kind]
  if (selector === undefined) pointAtNextFocus()
  switch (place.kind) {
    case 'composer': {
      const { conversationId } = useSession.getState()
      setView('stage')
      if (conversationId !== null && isEmptyDraft(draftOf(conversationId))) putMessage(TUTORIAL_TASK)
      else focusComposer()
      break
    }
    case 'request':
      setView('stage')
      revealRequest(place.agentId, place.requestId)
      break
    case 'panel':
      setView('stage')
      revealAgent(place.agentId)
      break
    case 'line':
      setView('stage')
      revealLine(place.agentId)
      break
    case 'changes':
      setView('stage')
      openChanges(place.path)
      break
    case 'review':
      goToReview(place.worktreeId)
      break
    case 'continue':
      setView('stage')
      break
    case 'end':
      break
  }
  if (selector !== undefined) pointWhenThere(selector)
}

/** The controls that do not take the focus by themselves. */
const SELECTORS: { readonly [K in GuidePlace['kind']]?: string } = {
  review: '[role="listbox"][aria-label="Worktrees"]',
  continue: '[data-continue-all]',
  end: '[data-end-program]',
}

/** The control gets the focus only when its view is there. */
function pointAtNextFocus(): void {
  const onFocus = ({ target }: FocusEvent) => target instanceof HTMLElement && mark(target)
  document.addEventListener('focusin', onFocus, { once: true })
}

/** A view may load first. What the user does meanwhile ends the wait. */
function pointWhenThere(selector: string): void {
  const point = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector)
    element?.focus()
    if (element !== null) mark(element)
    return element !== null
  }
  if (point()) return
  const observer = new MutationObserver(() => point() && observer.disconnect())
  observer.observe(document.body, { childList: true, subtree: true })
  for (const event of ['keydown', 'pointerdown'])
    window.addEventListener(event, () => observer.disconnect(), { once: true })
}

function mark(element: HTMLElement): void {
  element.setAttribute('data-pointed-at', '')
  element.addEventListener('blur', () => element.removeAttribute('data-pointed-at'), { once: true })
}
