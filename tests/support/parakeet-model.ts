import { HALF, integers, floats, MAGIC, writeTensor, writeVocabulary, type Tensor } from './whisper-model.ts';

const STATE = 32;
const CHANNELS = 4;
const MELS = 16;
const WINDOW = 400;
const SPECTRUM = 512;
const SUBSAMPLING = 8;
const KERNEL = 9;
const PREDICTION = 32;
const PREDICTION_LAYERS = 2;
const AUDIO_CONTEXT = 5_000;
const DURATIONS = [0, 1, 2, 3, 4];
const TOKENS_A_FRAME = 10;
/** U+2581 is a space in the vocabulary of Parakeet. */
const VOCABULARY = ['<unk>', '\u2581Wort'];
const WORD = 1;
/** What the generated model says every 0.32 s: the longest duration is four frames of 80 ms. */
export const PARAKEET_WORD = 'Wort';

/** A Parakeet model without weights whose last bias alone chooses the word: it says the same to any sound. */
export function makeParakeetModel(): Buffer {
  const header = [VOCABULARY.length, AUDIO_CONTEXT, STATE, 1, 1, MELS, HALF, SPECTRUM, SUBSAMPLING, CHANNELS, KERNEL];
  return Buffer.concat([
    integers(MAGIC, ...header, PREDICTION, PREDICTION_LAYERS, DURATIONS.length, TOKENS_A_FRAME),
    integers(MELS, SPECTRUM / 2 + 1),
    floats(new Float32Array(MELS * (SPECTRUM / 2 + 1))),
    integers(WINDOW),
    floats(new Float32Array(WINDOW).fill(1)),
    integers(...DURATIONS),
    writeVocabulary(VOCABULARY),
    ...[...listEncoder(), ...listDecoder()].map(writeTensor),
  ]);
}

function listEncoder(): Tensor[] {
  const convolution = (name: string, shape: readonly number[]): Tensor[] => [
    { name: `encoder.pre_encode.conv.${name}.weight`, shape },
    { name: `encoder.pre_encode.conv.${name}.bias`, shape: [1, 1, CHANNELS, 1] },
  ];
  const features = (MELS / SUBSAMPLING) * CHANNELS;
  return [
    { name: 'encoder.pre_encode.out.weight', shape: [features, STATE], half: true },
    { name: 'encoder.pre_encode.out.bias', shape: [STATE] },
    ...['0', '2', '5'].flatMap((name) => convolution(name, [3, 3, 1, CHANNELS])),
    ...['3', '6'].flatMap((name) => convolution(name, [1, 1, CHANNELS, CHANNELS])),
    ...listLayer('encoder.layers.0'),
  ];
}

function listLayer(layer: string): Tensor[] {
  const linear = (name: string, from: number, to: number): Tensor => ({
    name: `${layer}.${name}.weight`,
    shape: [from, to],
    half: true,
  });
  const vectors = (...names: string[]): Tensor[] => names.map((name) => ({ name: `${layer}.${name}`, shape: [STATE] }));
  const norm = (name: string): Tensor[] => vectors(`${name}.weight`, `${name}.bias`);
  return [
    ...['norm_feed_forward1', 'norm_conv', 'norm_self_att', 'norm_feed_forward2', 'norm_out'].flatMap(norm),
    ...['feed_forward1', 'feed_forward2'].flatMap((name) => [
      linear(`${name}.linear1`, STATE, 4 * STATE),
      linear(`${name}.linear2`, 4 * STATE, STATE),
    ]),
    linear('conv.pointwise_conv1', STATE, 2 * STATE),
    { name: `${layer}.conv.depthwise_conv.weight`, shape: [KERNEL, STATE] },
    ...norm('conv.batch_norm'),
    ...vectors('conv.batch_norm.running_mean', 'conv.batch_norm.running_var'),
    { name: `${layer}.conv.batch_norm.num_batches_tracked`, shape: [1] },
    linear('conv.pointwise_conv2', STATE, STATE),
    ...['pos_bias_u', 'pos_bias_v'].map((name) => ({ name: `${layer}.self_attn.${name}`, shape: [STATE, 1] })),
    ...['q', 'k', 'v', 'out', 'pos'].map((name) => linear(`self_attn.linear_${name}`, STATE, STATE)),
  ];
}

function listDecoder(): Tensor[] {
  const lstm = Array.from({ length: PREDICTION_LAYERS }, (_, layer): Tensor[] => [
    { name: `decoder.prediction.dec_rnn.lstm.weight_ih_l${layer}`, shape: [PREDICTION, 4 * PREDICTION], half: true },
    { name: `decoder.prediction.dec_rnn.lstm.weight_hh_l${layer}`, shape: [PREDICTION, 4 * PREDICTION], half: true },
    { name: `decoder.prediction.dec_rnn.lstm.bias_h_l${layer}`, shape: [4 * PREDICTION] },
  ]);
  const outputs = VOCABULARY.length + 1 + DURATIONS.length;
  const chooseWord = (bias: Float32Array): void => {
    bias[WORD] = 10;
    bias[outputs - 1] = 10;
  };
  return [
    { name: 'decoder.prediction.embed.weight', shape: [PREDICTION, VOCABULARY.length + 1], half: true },
    ...lstm.flat(),
    { name: 'joint.pred.weight', shape: [PREDICTION, PREDICTION], half: true },
    { name: 'joint.pred.bias', shape: [PREDICTION] },
    { name: 'joint.enc.weight', shape: [STATE, PREDICTION], half: true },
    { name: 'joint.enc.bias', shape: [PREDICTION] },
    { name: 'joint.joint_net.2.weight', shape: [PREDICTION, outputs], half: true },
    { name: 'joint.joint_net.2.bias', shape: [outputs], fill: chooseWord },
  ];
}
