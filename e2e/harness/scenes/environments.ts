/** The mockup's environments: one worktree runs, one is ready, one is being set up, one has failed. */

import {
  type MadeUpWorktree,
  madeUpWorktree,
  textChange,
} from '../../../src/renderer/features/worktrees/testing/review-world.ts'
import { newEnvironment } from '../../../src/shared/environments/environment.ts'
import type {
  EnvironmentsSnapshot,
  OutputLine,
  WorktreeEnvironment,
} from '../../../src/shared/environments/environments.ts'

const MINUTE = 60_000

const RATES = Array.from({ length: 36 }, (_, at) => `  [${at + 1}, ${(at * 7 + 3) % 25}],`).join('\n')
const MONEY = `/** Cents of the smallest unit. */
export const RATES = new Map([
${RATES}
])

export function refundOf(order: Order, part: number): number {
  return order.total * part
}

export function splitRefund(order: Order, parts: readonly number[]): readonly number[] {
  return parts.map((part) => refundOf(order, part))
}
`

/** Both agents of the overlap change `refundOf`. */
export function overlappingWorktrees(): readonly MadeUpWorktree[] {
  const worktree = (id: string, agentName: string, color: string, after: string) =>
    madeUpWorktree(
      { id, agentName, color, task: agentName, state: 'working' },
      { changes: [textChange('src/money.ts', MONEY, after)] },
    )
  return [
    worktree(
      ...(['order-key-a91e', 'refactorer', 'pink'] as const),
      MONEY.replace(
        '  return order.total * part',
        '  const key = order.refundKey\n  return charge({ key, amount: order.total * part })',
      ),
    ),
    worktree(
      ...(['split-cents-33d0', 'builder', 'purple'] as const),
      MONEY.replace('order.total * part', 'Math.round(order.total * part)').replace(
        '  return parts.map((part) => refundOf(order, part))',
        '  const all = parts.map((part) => refundOf(order, part))\n  return [...all.slice(0, -1), order.total - sumOf(all.slice(0, -1))]',
      ),
    ),
  ]
}

/** @param waits whether the commands wait for the user */
export function sampleEnvironments(
  folder: string,
  { now, waits = false }: { readonly now: number; readonly waits?: boolean },
): EnvironmentsSnapshot {
  const row = (
    at: number,
    task: string,
    more: Pick<WorktreeEnvironment, 'id' | 'color'> & {
      readonly state: Partial<WorktreeEnvironment['state']>
    },
  ): WorktreeEnvironment => {
    const base = 20_010 + at * 10
    return {
      ...{ id: more.id, color: more.color, task, branch: `troupe/${more.id}`, path: `/home/ada/${more.id}` },
      ...{ agentId: `a-${at}`, conversationId: 'conversation-1', isThere: true, logSize: 1 },
      state: { ...newEnvironment, base, ...more.state },
      ports: ['web', 'api'].map((name, index) => ({
        ...{ name, port: base + index, address: `http://localhost:${base + index}` },
      })),
    }
  }
  const up = { kind: 'running', since: now - 6.4 * MINUTE, isUp: true } as const
  const ready = (tookMs: number) =>
    ({ kind: 'ready', at: now - 8 * MINUTE, tookMs, last: 'npm run db:create' }) as const
  return {
    ...{ folder, problem: null },
    overlaps: [
      {
        ...{ path: 'src/money.ts', first: 42, last: 42, since: now - MINUTE },
        ids: ['order-key-a91e', 'split-cents-33d0'],
      },
    ],
    commands: {
      commands: {
        setup: ['npm ci', 'npm run db:create'],
        run: [
          { name: 'web', command: 'npm run dev', portVariable: 'PORT', listens: null },
          { name: 'api', command: 'npm run api', portVariable: null, listens: 8080 },
        ],
        teardown: ['npm run db:drop'],
        hosts: ['packages.example.com'],
      },
      sources: ['.troupe/environment.yaml'],
      ...{ isProposed: false, problems: [], folder, digest: 'd', scripts: ['package.json: dev'] },
      approval: waits
        ? {
            state: 'changed',
            former: { setup: ['npm ci'], run: ['npm run dev', 'npm run api', 'npm run db:drop'] },
          }
        : { state: 'approved' },
    },
    worktrees: [
      row(0, 'One charge key per order', {
        ...{ id: 'order-key-a91e', color: 'pink' },
        state: { setup: ready(46_000), runs: { web: up, api: up } },
      }),
      row(1, 'Split refunds to the cent', {
        ...{ id: 'split-cents-33d0', color: 'purple' },
        state: { setup: ready(41_000) },
      }),
      row(2, 'Show prices in euros', {
        ...{ id: 'euro-prices-51fb', color: 'blue' },
        state: { setup: { kind: 'running', since: now - 14_000, command: 'npm ci', index: 0, of: 2 } },
      }),
      row(3, 'Upgrade to React 19', {
        ...{ id: 'react-19-c0d2', color: 'green' },
        state: {
          setup: {
            ...{ kind: 'failed', at: now - MINUTE, command: 'npm ci', exitCode: 1 },
            error: 'npm error ERESOLVE unable to resolve dependency tree: react-select@5.7',
          },
        },
      }),
    ],
  }
}

export function sampleOutput(now: number): readonly OutputLine[] {
  const at = (minutes: number, source: string, text: string) => ({ at: now - minutes * MINUTE, source, text })
  return [
    at(9, 'setup', '$ npm ci'),
    at(8.4, 'setup', 'added 1086 packages in 38s'),
    at(8.4, 'setup', '$ npm run db:create'),
    at(8.2, 'setup', 'created database checkout_a91e, 18 migrations in 7 s'),
    at(6.4, 'web', '$ npm run dev'),
    at(6.4, 'api', '$ npm run api'),
    at(6.3, 'api', 'listening on 8080, database checkout_a91e'),
    at(6.3, 'web', 'ready on http://localhost:20010'),
    ...Array.from({ length: 14 }, (_, index) =>
      at(
        6 - index / 4,
        index % 3 === 0 ? 'api' : 'web',
        index % 3 === 0 ? `charge order=88${14 + index} key=ck_${index}` : 'GET  /cart        200   41 ms',
      ),
    ),
  ]
}
