/** Questions of one agent that wait for a person's answer. */
import type { PermissionAnswer } from '../runtime.ts'

export class OpenQuestions {
  private readonly answers = new Map<string, (answer: PermissionAnswer) => void>()

  /** Resolves with the answer, or with a denial without words when the signal aborts. */
  answerTo(promptId: string, signal: AbortSignal): Promise<PermissionAnswer> {
    return new Promise((resolve) => {
      const done = (answer: PermissionAnswer) => {
        this.answers.delete(promptId)
        signal.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const withdraw = () => done({ decision: 'deny', words: null })
      this.answers.set(promptId, done)
      if (signal.aborted) withdraw()
      else signal.addEventListener('abort', withdraw, { once: true })
    })
  }

  /** False where no such question is open: it was answered, or the agent was stopped. */
  answer(promptId: string, answer: PermissionAnswer): boolean {
    const resolve = this.answers.get(promptId)
    if (!resolve) return false
    resolve(answer)
    return true
  }
}
