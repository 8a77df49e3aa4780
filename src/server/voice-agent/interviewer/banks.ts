import type { InterviewSubject, WQuestion } from '#contract/voice.ts';

type BankQuestion = Readonly<{
  text: string;
  /** Asked once after a very short answer. */
  probe: string;
  /** The W-questions that a full answer covers. */
  covers: readonly WQuestion[];
}>;

export type Bank = Readonly<{
  greeting: string;
  questions: readonly BankQuestion[];
  /** An answer with fewer words is followed by the probe. */
  enoughWords: number;
  /** Asked at the end for the W-questions still open. */
  open: Readonly<Record<WQuestion, string>>;
  /** Whether each answer fills a W-answer (§3). */
  fillsWAnswers: boolean;
  closing: string;
}>;

/** What the interviews of all topics have in common. */
const INTERVIEW: Omit<Bank, 'greeting' | 'questions'> = {
  enoughWords: 6,
  open: {
    who: 'Eine Sache fehlt mir noch: Wer war alles daran beteiligt?',
    what: 'Magst du noch einmal in einem Satz sagen, worum es im Kern geht?',
    when: 'Wann war das ungefähr, oder seit wann läuft es?',
    where: 'Und wo spielt sich das ab?',
    why: 'Und warum ist dir das wichtig?',
  },
  fillsWAnswers: false,
  closing:
    'Das war meine letzte Frage. Vielen Dank für das Gespräch! Du kannst das Transkript jetzt in Ruhe ' +
    'durchlesen und bearbeiten.',
};

export const BANKS: Readonly<Record<InterviewSubject, Bank>> = {
  'engineering-path': {
    ...INTERVIEW,
    greeting: 'Hallo, schön, dass du da bist! Ich möchte heute mehr über deinen Weg in den Ingenieurberuf erfahren.',
    questions: [
      {
        text: 'Wer bist du, und woran arbeitest du gerade?',
        probe: 'Magst du dein Fachgebiet und deine Aufgabe in ein, zwei Sätzen beschreiben?',
        covers: ['who', 'what'],
      },
      {
        text: 'Wann hast du zum ersten Mal gemerkt, dass dich Technik begeistert?',
        probe: 'Gab es ein Erlebnis, an das du dich besonders erinnerst?',
        covers: ['when'],
      },
      {
        text: 'Warum hast du dich dann für diesen Beruf entschieden?',
        probe: 'Was hat am Ende den Ausschlag gegeben?',
        covers: ['why'],
      },
      {
        text: 'Wo hast du studiert oder gelernt, und was hat dich dort geprägt?',
        probe: 'Welcher Mensch oder welcher Ort ist dir im Gedächtnis geblieben?',
        covers: ['where'],
      },
      {
        text: 'Welche Hürde musstest du auf deinem Weg nehmen, und wie hast du das geschafft?',
        probe: 'Was hat dir in dieser Zeit geholfen?',
        covers: [],
      },
      {
        text: 'Auf welches Projekt bist du bis heute stolz?',
        probe: 'Was war dein eigener Anteil daran?',
        covers: ['what'],
      },
      {
        text: 'Was würdest du jungen Menschen raten, die heute über diesen Beruf nachdenken?',
        probe: 'Was hättest du selbst gern früher gewusst?',
        covers: [],
      },
    ],
  },
  'behind-scenes': {
    ...INTERVIEW,
    greeting: 'Hallo, schön, dass du da bist! Heute schauen wir gemeinsam hinter die Kulissen deiner Arbeit.',
    questions: [
      {
        text: 'Was passiert bei euch gerade, das man von außen sonst nicht sieht?',
        probe: 'Kannst du das etwas genauer beschreiben?',
        covers: ['what'],
      },
      {
        text: 'Wer ist daran beteiligt, und welche Aufgabe hast du selbst?',
        probe: 'Mit wem arbeitest du dabei am engsten zusammen?',
        covers: ['who'],
      },
      {
        text: 'Wo spielt sich das ab? Beschreib den Ort gern so, dass man ihn vor sich sieht.',
        probe: 'Was hört, riecht oder sieht man dort als Erstes?',
        covers: ['where'],
      },
      {
        text: 'Wann geht es bei euch los, und wie läuft ein typischer Tag ab?',
        probe: 'Welcher Teil des Tages ist der spannendste?',
        covers: ['when'],
      },
      {
        text: 'Was überrascht Besucherinnen und Besucher am meisten?',
        probe: 'Erinnerst du dich an eine bestimmte Reaktion?',
        covers: [],
      },
      {
        text: 'Warum ist diese Arbeit wichtig, auch wenn sie kaum jemand sieht?',
        probe: 'Was würde fehlen, wenn ihr sie nicht machtet?',
        covers: ['why'],
      },
      {
        text: 'Gab es einen Moment, an den du besonders gern zurückdenkst?',
        probe: 'Was machte diesen Moment besonders?',
        covers: [],
      },
    ],
  },
  'tech-dive': {
    ...INTERVIEW,
    greeting: 'Hallo, schön, dass du da bist! Heute tauchen wir tief in eine Technik ein, mit der du dich auskennst.',
    questions: [
      {
        text: 'Um welche Technik geht es, und was kann sie?',
        probe: 'Was ist das Besondere an ihr?',
        covers: ['what'],
      },
      {
        text: 'Welches Problem löst sie, und warum reichten frühere Lösungen nicht aus?',
        probe: 'Was war vorher schwierig oder unmöglich?',
        covers: ['why'],
      },
      {
        text: 'Wie funktioniert sie? Erklär es gern so, als säße dir jemand ohne Fachwissen gegenüber.',
        probe: 'Gibt es einen Vergleich aus dem Alltag, der es anschaulich macht?',
        covers: [],
      },
      {
        text: 'Wo wird sie heute eingesetzt?',
        probe: 'Kannst du ein konkretes Beispiel nennen?',
        covers: ['where'],
      },
      {
        text: 'Wer hat daran gearbeitet, und was war dein Anteil?',
        probe: 'Welche Fachleute braucht man dafür?',
        covers: ['who'],
      },
      {
        text: 'Was war bei der Entwicklung die größte Schwierigkeit?',
        probe: 'Wie habt ihr sie gelöst?',
        covers: [],
      },
      {
        text: 'Seit wann gibt es diese Technik, und was kommt als Nächstes?',
        probe: 'Was erwartest du in den nächsten Jahren?',
        covers: ['when'],
      },
    ],
  },
  'free-topic': {
    ...INTERVIEW,
    greeting: 'Hallo, schön, dass du da bist! Heute bestimmst du das Thema.',
    questions: [
      {
        text: 'Worüber möchtest du sprechen?',
        probe: 'Kannst du das Thema in ein, zwei Sätzen umreißen?',
        covers: ['what'],
      },
      {
        text: 'Wann und wie hat das angefangen?',
        probe: 'Gab es einen bestimmten Auslöser?',
        covers: ['when'],
      },
      {
        text: 'Wer spielt dabei eine wichtige Rolle?',
        probe: 'Was trägt diese Person oder Gruppe bei?',
        covers: ['who'],
      },
      {
        text: 'Wo findet das statt?',
        probe: 'Wie sieht es dort aus?',
        covers: ['where'],
      },
      {
        text: 'Warum liegt dir dieses Thema am Herzen?',
        probe: 'Was verändert sich dadurch, für dich oder für andere?',
        covers: ['why'],
      },
      {
        text: 'Gibt es ein Erlebnis, das gut zeigt, worum es geht?',
        probe: 'Wie ging das aus?',
        covers: [],
      },
      {
        text: 'Was sollen die Menschen mitnehmen, die deinen Beitrag sehen?',
        probe: 'Und wenn sie sich nur einen Satz merken?',
        covers: [],
      },
    ],
  },
  'media-description': {
    greeting: 'Hallo! Lass uns kurz festhalten, was auf deinem Bild oder in deinem Video zu sehen ist.',
    questions: [
      {
        text: 'Was ist zu sehen?',
        probe: 'Kannst du das etwas genauer beschreiben?',
        covers: ['what'],
      },
      {
        text: 'Wer ist zu sehen oder war daran beteiligt?',
        probe: 'Welche Funktion haben diese Personen?',
        covers: ['who'],
      },
      {
        text: 'Wann ist die Aufnahme entstanden?',
        probe: 'Weißt du ungefähr, in welchem Monat oder Jahr das war?',
        covers: ['when'],
      },
      {
        text: 'Wo ist sie entstanden?',
        probe: 'In welcher Stadt oder in welchem Betrieb war das?',
        covers: ['where'],
      },
      {
        text: 'Und warum ist diese Aufnahme interessant für andere?',
        probe: 'Was soll man beim Ansehen verstehen oder spüren?',
        covers: ['why'],
      },
    ],
    // 'Gestern' is a whole answer here.
    enoughWords: 1,
    open: {
      who: 'Weißt du noch, wer beteiligt war?',
      what: 'Was genau sieht man auf der Aufnahme?',
      when: 'Weißt du noch, wann das war?',
      where: 'Weißt du noch, wo das war?',
      why: 'Warum möchtest du die Aufnahme zeigen?',
    },
    fillsWAnswers: true,
    closing: 'Vielen Dank, damit ist alles Wichtige beschrieben!',
  },
};
