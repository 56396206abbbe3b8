/** What a form of a dialog does when it is sent: one at a time, and a failure's words stay until something is changed. */
import { type FormEvent, useState } from 'react'
import type { Answer } from '../../../../shared/ipc-contract.ts'

interface SubmitOptions {
  /** False: what is entered can't be sent, and the form says why by itself. */
  readonly isValid: boolean
  readonly work: () => Promise<Answer<unknown>>
  readonly onDone: () => void
}

export interface Submit {
  readonly failure: string | null
  readonly canSend: boolean
  readonly onSubmit: (event: FormEvent) => void
  /** Something was changed: what failed before says nothing any more. */
  readonly forget: () => void
}

export function useSubmit({ isValid, work, onDone }: SubmitOptions): Submit {
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const canSend = isValid && !isBusy
  const send = async () => {
    setBusy(true)
    const answer = await work()
    setBusy(false)
    if (answer.ok) onDone()
    else setFailure(answer.failure.message)
  }
  return {
    failure,
    canSend,
    onSubmit: (event) => {
      event.preventDefault()
      if (canSend) void send()
    },
    forget: () => setFailure(null),
  }
}
