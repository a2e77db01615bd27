// Writes the inputs that KataGo makes of positions, for benchmarks/ask_inputs.py.
//
// Build it against the sources and objects of a built KataGo (its CMake folder has the
// flags in flags.make and the command in link.txt): in place of main.cpp.o, link this file
// and main.cpp.o with its `main` renamed (objcopy --redefine-sym main=katago_main).
//
// A line of standard input is a position: size, komi, rules; the number of black stones set
// up and their points, the same for White; the number of moves, a colour and a point for each;
// who is to play. Numbers are as in yardstone.go.points. Standard output gets, for each line,
// the planes as bytes, 19 floats, the legal moves as bytes, and the score as a float.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "core/global.h"
#include "game/board.h"
#include "game/boardhistory.h"
#include "neuralnet/nninputs.h"

using namespace std;

static vector<int> numbers(istream& in, int count) {
  vector<int> read(count);
  for(int& number: read)
    in >> number;
  return read;
}

int main() {
  Board::initHash();
  ScoreValue::initTables();
  string line;
  while(getline(cin, line)) {
    istringstream in(line);
    int size, count, toPlay;
    float komi;
    string rulesText;
    in >> size >> komi >> rulesText;
    auto at = [&](int point) {
      return point < 0 ? Board::PASS_LOC : Location::getLoc(point % size, point / size, size);
    };
    Board board(size, size);
    vector<Move> placed;
    for(Player player: {P_BLACK, P_WHITE}) {
      in >> count;
      for(int point: numbers(in, count))
        placed.push_back(Move(at(point), player));
    }
    if(!board.setStonesFailIfNoLibs(placed))
      return 1;
    in >> count;
    vector<int> moves = numbers(in, 2 * count);
    in >> toPlay;
    Rules rules = Rules::parseRulesWithoutKomi(rulesText, komi);
    BoardHistory history(board, (Player)(count > 0 ? moves[0] : toPlay), rules, 0, false);
    history.setAssumeMultipleStartingBlackMovesAreHandicap(true);
    for(int k = 0; k < count; k++)
      if(!history.makeBoardMoveTolerant(board, at(moves[2 * k + 1]), (Player)moves[2 * k], true))
        return 2;
    Player player = (Player)toPlay;
    if(player != history.presumedNextMovePla) {
      board.clearSimpleKoLoc();
      history.clear(board, player, rules, 0);
    }
    int area = size * size;
    vector<float> planes(22 * area), inputs(19);
    NNInputs::fillRowV7(
      board, history, player, MiscNNInputParams(), size, size, false, planes.data(), inputs.data());
    for(float value: planes)
      putchar((int)value);
    fwrite(inputs.data(), sizeof(float), inputs.size(), stdout);
    for(int point = 0; point < area; point++)
      putchar(history.isLegal(board, at(point), player));
    BoardHistory ended = history;
    ended.endAndScoreGameNow(board);
    fwrite(&ended.finalWhiteMinusBlackScore, sizeof(float), 1, stdout);
  }
}
