/** The verifications at the end of the conversation: the question, the running verifier, and the verdict. */
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { needsUser } from '../../../shared/state/agent-state.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import { useAgent, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { EvidenceList, VerdictTitle } from '../../ui/verdict.tsx'
import { ChangedSinceVerdict, useIsChanged } from './changed-since.tsx'
import {
  answerVerifications,
  dismissVerdict,
  sendToFix,
  useChangedSince,
  useIsDismissed,
  useVerificationStore,
  useVerifications,
  verifyNow,
} from './verifications.ts'

interface VerificationCardsProps {
  readonly onOpenAgent: (agentId: string) => void
}

export function VerificationCards({ onOpenAgent }: VerificationCardsProps) {
  useChangedSince()
  const all = useVerifications()
  const readOnly = useConversation((state) => state.readOnly)
  const isDismissed = useIsDismissed()
  // Of each worktree, and of the folder, only the newest counts.
  const latest = all.filter((one) => all.findLast((other) => other.owner === one.owner) === one)
  const offered = latest.filter(({ state }) => state === 'offered')
  const shown = latest.filter(
    ({ id, state }) => state === 'running' || (state === 'done' && !isDismissed(id)),
  )
  if (shown.length === 0 && (offered.length === 0 || readOnly)) return null
  return (
    <div className="grid gap-1.5 px-2.5 pb-2.5">
      {shown.map((one) =>
        one.state === 'running' ? (
          <RunningCard key={one.id} verification={one} onOpenAgent={onOpenAgent} />
        ) : (
          <VerdictCard key={one.id} verification={one} readOnly={readOnly} onOpenAgent={onOpenAgent} />
        ),
      )}
      {offered.length > 0 && !readOnly && <Question offered={offered} />}
    </div>
  )
}

function Card({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section
      aria-label={label}
      className="grid gap-1.5 rounded-md border border-line-strong bg-bg-2 px-2.5 py-2 text-sm"
    >
      {children}
    </section>
  )
}

function Question({ offered }: { readonly offered: readonly Verification[] }) {
  const busy = useVerificationStore((state) => state.busy)
  const ids = offered.map(({ id }) => id)
  const answer = (verify: boolean) => {
    void answerVerifications(ids, verify)
    focusComposer()
  }
  return (
    <Card label="Verify these changes?">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p className="min-w-40 flex-1 text-fg-1">
          <strong className="font-semibold text-fg-0">Verify these changes?</strong>{' '}
          <Owners offered={offered} /> An agent runs the project’s checks on a copy of exactly these files.
        </p>
        <span className="flex gap-1.5">
          <Button disabled={busy} focusableWhenDisabled onClick={() => answer(true)}>
            Verify
          </Button>
          <Button variant="quiet" disabled={busy} focusableWhenDisabled onClick={() => answer(false)}>
            Not now
          </Button>
        </span>
      </div>
    </Card>
  )
}

/** Names the worktrees, if there are changes elsewhere than in the folder. */
function Owners({ offered }: { readonly offered: readonly Verification[] }) {
  const agents = useConversation((state) => state.agents)
  const owners = offered.flatMap(({ owner }) => (owner === null ? [] : (agents.get(owner)?.task ?? owner)))
  if (owners.length === 0) return null
  const folder = owners.length < offered.length ? 'The folder, and the ' : 'The '
  return (
    <>
      {folder}
      {owners.length === 1 ? 'worktree of' : 'worktrees of'} {owners.join(', ')}.
    </>
  )
}

interface OneProps {
  readonly verification: Verification
  readonly onOpenAgent: (agentId: string) => void
}

function RunningCard({ verification, onOpenAgent }: OneProps) {
  const { agentId, owner } = verification
  const verifier = useAgent(agentId)
  const isInterrupted = verifier?.status === 'interrupted'
  const needs = verifier !== undefined && needsUser(verifier)
  return (
    <Card label="Verification">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p role="status" className="flex min-w-40 flex-1 items-center gap-1.5 text-fg-1">
          {!isInterrupted && <Spinner size={11} />}
          {isInterrupted ? 'The verification was interrupted' : 'Verifying the changes'}
          <OwnerName owner={owner} />
          {needs ? ': it needs your permission' : ''}
        </p>
        {agentId !== null && <Button onClick={() => onOpenAgent(agentId)}>Show verifier</Button>}
      </div>
    </Card>
  )
}

function OwnerName({ owner }: { readonly owner: string | null }) {
  const title = useAgentTitle(owner)
  return title === null ? null : <> of {title}</>
}

function VerdictCard({ verification, onOpenAgent, readOnly }: OneProps & { readonly readOnly: boolean }) {
  const { id, agentId, owner, summary, evidence, verdict } = verification
  const busy = useVerificationStore((state) => state.busy)
  const isChanged = useIsChanged(id)
  const fix = async () => {
    if (await sendToFix(verification)) focusComposer()
  }
  return (
    <Card label={`Verification ${verdict}`}>
      <div className="flex flex-wrap items-center gap-x-2">
        <VerdictTitle verdict={verification.verdict} />
        <span className="text-fg-2">
          <OwnerName owner={owner} />
        </span>
        <ChangedSinceVerdict id={id} />
        <span className="ml-auto">
          <IconButton
            icon={X}
            label="Dismiss verdict"
            onClick={() => {
              dismissVerdict(id)
              focusComposer()
            }}
          />
        </span>
      </div>
      {summary !== '' && (
        <p className="text-fg-0 wrap-anywhere" data-selectable="">
          {summary}
        </p>
      )}
      <div className="max-h-[18vh] overflow-y-auto empty:hidden">
        <EvidenceList evidence={evidence} />
      </div>
      <div className="flex flex-wrap gap-1.5">
        {verdict === 'failed' && !readOnly && (
          <Button onClick={(event) => event.detail < 2 && void fix()}>Send to the agent to fix</Button>
        )}
        {agentId !== null && (
          <Button variant={verdict === 'failed' ? 'quiet' : 'secondary'} onClick={() => onOpenAgent(agentId)}>
            Show verifier
          </Button>
        )}
        {(isChanged || verdict === 'unclear') && !readOnly && (
          <Button
            variant="quiet"
            disabled={busy}
            focusableWhenDisabled
            onClick={() => {
              void verifyNow(owner)
              focusComposer()
            }}
          >
            Verify again
          </Button>
        )}
      </div>
    </Card>
  )
}
