import { folders } from './cases/folders.ts'
import { tryAttacks } from './try-attacks.ts'

tryAttacks(folders)
